import './switchboard.css';
import { Button, Slider } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type SwitchboardSetting, type SwitchboardView, Trouble } from '../../contract/switchboard-view.ts';
import { readSendsThrough } from '../sends-through.ts';
import { switchboardWords } from '../words/switchboard.ts';
import { foretellOutcomes } from './promised-outcomes.ts';
import { TroubleCard } from './trouble-card.tsx';

export interface TroubleSwitchProps {
  readonly view: SwitchboardView;
  /** What it is to be set to, while that does not hold yet. */
  readonly wish: SwitchboardSetting | undefined;
  readonly problem: Error | null;
  readonly onSet: (setting: SwitchboardSetting) => void;
}

const words = switchboardWords.switch;

/** Chooses what ails the order service, and how many requests meet it; either takes effect at once. */
export function TroubleSwitch({ view, wish, problem, onSet }: TroubleSwitchProps) {
  const { available, setting } = view;
  const chosen = wish ?? setting;
  return (
    <section className="board-section" aria-labelledby="switch-title">
      <div className="board-head">
        <h2 className="board-title" id="switch-title">
          {words.title}
        </h2>
      </div>
      {!available && (
        <div className="board-notice">
          <strong>{words.unavailable.title}</strong>
          <p>{words.unavailable.text}</p>
        </div>
      )}
      <div className="switch-now" data-trouble={setting.trouble === 'none' ? undefined : ''}>
        <p role="status" aria-busy={wish !== undefined}>
          <strong>{words.now(setting.trouble, setting.percent)}</strong> {forecast(setting)}
        </p>
        <Button
          variant="default"
          size="compact-sm"
          disabled={!available || chosen.trouble === 'none'}
          onClick={() => onSet({ ...chosen, trouble: 'none' })}
        >
          {words.reset}
        </Button>
      </div>
      {problem && (
        <p className="board-problem" role="alert">
          {words.failed} {problem.message}
        </p>
      )}
      <Share
        percent={chosen.percent}
        isDisabled={!available || chosen.trouble === 'down'}
        help={chosen.trouble === 'down' ? words.shareOfDown : ''}
        onChange={(percent) => onSet({ ...chosen, percent })}
      />
      <fieldset className="switch-cards" aria-labelledby="switch-title">
        {Trouble.options.map((one) => (
          <TroubleCard
            key={one}
            trouble={one}
            isChosen={one === chosen.trouble}
            isDisabled={!available}
            onChoose={() => onSet({ ...chosen, trouble: one })}
          />
        ))}
      </fieldset>
    </section>
  );
}

function forecast(setting: SwitchboardSetting): string {
  const sendsThrough = readSendsThrough();
  const shares = foretellOutcomes(setting, sendsThrough);
  const needsReview = sendsThrough === 'outbox' && shares.some(([outcome]) => outcome === 'unknown');
  return needsReview ? words.forecastReview : words.forecast(shares);
}

interface ShareProps {
  readonly percent: number;
  readonly isDisabled: boolean;
  readonly help: string;
  readonly onChange: (percent: number) => void;
}

function Share({ percent, isDisabled, help, onChange }: ShareProps) {
  const [drawn, setDrawn] = useState(percent);
  useEffect(() => setDrawn(percent), [percent]);
  return (
    <div className="switch-share">
      <div className="switch-share-head">
        <span id="share-label">{words.share}</span>
        <strong>{words.percent(drawn)}</strong>
      </div>
      <Slider
        min={10}
        max={100}
        step={10}
        label={null}
        value={drawn}
        disabled={isDisabled}
        thumbProps={{ 'aria-labelledby': 'share-label', 'aria-valuetext': words.percent(drawn) }}
        onChange={setDrawn}
        onChangeEnd={onChange}
      />
      <p className="switch-share-help">{help}</p>
    </div>
  );
}

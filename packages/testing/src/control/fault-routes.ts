import { answerJson, answerText } from '../service/answer.ts';
import { type FaultRule, type PlainRule, readFaultRule } from '../service/faults/fault-rule.ts';
import { boundList } from './bounded-list.ts';
import { ControlRefusal, refuseMisuse } from './control-error.ts';
import type { ControlRoute } from './control-route.ts';

export const FAULT_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/faults',
    does: 'shows the first 1,000 faults that wait and the last 1,000 that were played',
    answer({ sources: { faults } }) {
      const waiting = boundList(faults.waiting, 'first');
      const played = boundList(faults.played, 'last');
      const omitted = JSON.stringify({ waiting: waiting.omitted, played: played.omitted });
      return answerText(200, `{"waiting":${waiting.json},"played":${played.json},"omitted":${omitted}}`, {
        'content-type': 'application/json',
      });
    },
  },
  {
    method: 'POST',
    path: '/faults',
    does: 'adds a rule, such as {"when":"next","play":{"fault":"status","status":503}}, or an array of rules: all or none',
    async answer({ sources: { faults }, body }) {
      // What a rule must be is checked here, so its type is known only afterwards.
      const rules = (Array.isArray(body) ? body : [body]) as readonly FaultRule[];
      if (rules.length === 0) {
        throw new ControlRefusal(422, { code: 'fault_refused', message: 'Give at least one rule.' });
      }
      await refuseMisuse('fault_refused', () => checkRules(rules, Array.isArray(body)));
      for (const rule of rules) faults.add(rule);
      return answerJson(200, { added: rules.length });
    },
  },
  {
    method: 'DELETE',
    path: '/faults',
    does: 'lets nothing more go wrong',
    answer({ sources: { faults } }) {
      faults.clear();
      return { status: 204, headers: {}, body: '' };
    },
  },
];

/** How often the faults of one request may be played in all, since each turn takes room. */
const MAX_TURNS = 50_000;

function checkRules(rules: readonly FaultRule[], isList: boolean): void {
  const turns = rules.map((rule, index) => {
    const { faults, times } = checkRule(rule, isList ? `rules[${index}]: ` : '');
    return faults.length * times;
  });
  if (turns.reduce((sum, count) => sum + count, 0) > MAX_TURNS) {
    throw new TypeError(`The faults are more than ${MAX_TURNS} in all; repeat fewer times, or use "always".`);
  }
}

function checkRule(rule: FaultRule, place: string): PlainRule {
  try {
    return readFaultRule(rule);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(place + error.message);
  }
}

/** What we promise, and what a run found. */
export interface TargetResult {
  readonly target: string;
  readonly unit: 'times' | 'MiB';
  readonly atMost: number;
  /** `null` when this run did not measure it. */
  readonly figure: number | null;
  readonly holds: boolean | null;
}

/** The figures that are judged. */
export interface Figures {
  /** CPU per request of ours with a two-line cart, as a multiple of another's. */
  readonly toByHand: number | undefined;
  readonly toRequest: number | undefined;
  readonly toFetch: number | undefined;
  readonly toAxios: number | undefined;
  /** With a cart of 1,000 lines. */
  readonly toDispatchLarge: number | undefined;
  readonly streamMiB: number;
  readonly streamGrowthMiB: number;
  readonly importToUndici: number;
  /** Updates/s of a bare server to those of the order service, sent by bare `dispatch`. */
  readonly bareToService: number;
}

/** Judges figures by the bounds that this repository sets itself. */
export function judgeTargets(figures: Figures): TargetResult[] {
  const small = 'CPU of a two-line update';
  return [
    judge(`${small}, to the same by hand`, 'times', 0.85, figures.toByHand),
    judge(`${small}, to bare undici.request`, 'times', 1.15, figures.toRequest),
    judge(`${small}, to fetch`, 'times', 0.3, figures.toFetch),
    judge(`${small}, to axios`, 'times', 0.25, figures.toAxios),
    judge(
      'CPU of a 1,000-line update, to JSON.stringify and bare dispatch',
      'times',
      2.5,
      figures.toDispatchLarge,
    ),
    judge('heap and buffers held while streaming, over the start', 'MiB', 32, figures.streamMiB),
    judge('growth of that heap after the first tenth', 'MiB', 1, figures.streamGrowthMiB),
    judge('CPU of the import, to undici', 'times', 1.5, figures.importToUndici),
    judge(
      'updates/s of a bare server, to the order service, by bare dispatch',
      'times',
      2,
      figures.bareToService,
    ),
  ];
}

function judge(
  target: string,
  unit: TargetResult['unit'],
  atMost: number,
  figure: number | undefined,
): TargetResult {
  if (figure === undefined) return { target, unit, atMost, figure: null, holds: null };
  return { target, unit, atMost, figure, holds: figure <= atMost };
}

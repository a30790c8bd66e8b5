import type { ConformanceCase } from '../conformance-case.ts';
import { plainUpdate } from '../requests.ts';

const ofAnswer = {
  source: 'Update order',
  changes: 'order',
  needs: ['orderToken'],
  baseline: 'update',
  request: plainUpdate,
} as const;

/**
 * What the answer to an accepted update is (interface document, Update order).
 *
 * Refusals are left out because error responses are not shown, and an answer without a body because it has no media
 * type to speak of.
 */
export const answerCases: readonly ConformanceCase[] = [
  {
    ...ofAnswer,
    id: 'update-answers-json-media-type',
    title: 'What is answered to an accepted update has the media type application/json',
    strength: 'stated',
    expect: { outcome: 'accepted', body: 'json_media_type' },
  },
  {
    ...ofAnswer,
    id: 'update-answers-json-text',
    title: 'What is answered to an accepted update can be read as JSON',
    strength: 'implied',
    expect: { outcome: 'accepted', body: 'json_text' },
  },
];

import { expect, test } from 'vitest';
import type { Answer } from './answer.ts';
import { describeExpectation, judgeAnswer, outcomeOf } from './judge-answer.ts';

const answer = (given: Partial<Answer>): Answer => ({
  status: 200,
  mediaType: 'application/json',
  location: undefined,
  text: '{}',
  isWhole: true,
  ...given,
});

test.each([
  [200, 'accepted'],
  [299, 'accepted'],
  [400, 'refused'],
  [401, 'refused'],
  [499, 'refused'],
  [101, 'neither'],
  [300, 'neither'],
  [307, 'neither'],
  [399, 'neither'],
  [500, 'neither'],
  [503, 'neither'],
  [600, 'neither'],
  [0, 'neither'],
  [Number.NaN, 'neither'],
])('a status of %d is %s', (status, outcome) => {
  expect(outcomeOf({ status })).toBe(outcome);
});

test.each([408, 425, 429])(
  'a status of %d says nothing about the request, so it proves nothing',
  (status) => {
    for (const outcome of ['accepted', 'refused'] as const) {
      expect(judgeAnswer({ outcome }, answer({ status })).verdict).toBe('error');
    }
  },
);

test('an acceptance passes where one is promised and differs where a refusal is', () => {
  expect(judgeAnswer({ outcome: 'accepted' }, answer({ status: 204 }))).toEqual({ verdict: 'pass' });
  expect(judgeAnswer({ outcome: 'refused' }, answer({ status: 204 }))).toEqual({ verdict: 'differs' });
  expect(judgeAnswer({ outcome: 'refused' }, answer({ status: 404 }))).toEqual({ verdict: 'pass' });
  expect(judgeAnswer({ outcome: 'accepted' }, answer({ status: 404 }))).toEqual({ verdict: 'differs' });
});

test('a failing service and a redirect cannot be judged', () => {
  const reasons = [500, 302].map((status) => judgeAnswer({ outcome: 'refused' }, answer({ status })).reason);
  expect(reasons).toEqual([
    'the status 500 is neither an acceptance (2xx) nor a refusal (4xx)',
    'the status 302 is a redirect, which is not followed',
  ]);
});

test.each([
  ['application/json', 'pass'],
  ['Application/JSON ; charset=utf-8', 'pass'],
  ['application/json;v=1', 'pass'],
  ['application/problem+json', 'differs'],
  ['text/html', 'differs'],
  ['application/jsonx', 'differs'],
  [undefined, 'differs'],
])('a body of type %s is judged as %s where JSON is promised', (mediaType, verdict) => {
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_media_type' }, answer({ mediaType })).verdict).toBe(
    verdict,
  );
});

test('the type of a body says nothing where its text is promised, and the other way round', () => {
  const html = answer({ mediaType: 'text/html' });
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_text' }, html).verdict).toBe('pass');
  const cut = answer({ text: '{"a":' });
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_media_type' }, cut).verdict).toBe('pass');
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_text' }, cut).verdict).toBe('differs');
});

test('an answer without a body has no type and no text that could be wrong', () => {
  const empty = answer({ status: 204, mediaType: undefined, text: '' });
  for (const body of ['json_media_type', 'json_text'] as const) {
    expect(judgeAnswer({ outcome: 'accepted', body }, empty)).toEqual({ verdict: 'pass' });
  }
});

test('a text that was not read to its end is not said to be wrong', () => {
  const long = answer({ text: '[0,', isWhole: false });
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_text' }, long).verdict).toBe('error');
  expect(judgeAnswer({ outcome: 'accepted', body: 'json_media_type' }, long).verdict).toBe('pass');
});

test('a promise is told in words', () => {
  expect(describeExpectation({ outcome: 'refused' })).toBe('refused (4xx)');
  expect(describeExpectation({ outcome: 'accepted', body: 'json_media_type' })).toBe(
    'accepted (2xx), with a body of type application/json, if any',
  );
});

/**
 * Tells what the change from one JSON document to another means: a JSON Schema, an OpenAPI document, or what a
 * package.json promises. New names, new values of an enum and limits that fall away are additions, texts are
 * nothing, all else that differs breaks; in answers, which users read, only new names are additions.
 */
import { isDeepStrictEqual } from 'node:util';
import { type ApiChange, added, breaking } from './api-change.ts';

type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

/** Objects whose keys are names that somebody chose; the keys of all others are words of the format. */
const maps = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
  ...['paths', 'schemas', 'responses', 'securitySchemes', 'headers', 'content', 'variables', 'webhooks'],
  ...['exports', 'bin', 'optionalPeerDependencies'],
]);

const texts = new Set(['title', 'description', 'summary', 'example', 'examples', '$comment', 'tags']);

const limits = new Set([
  ...[
    'required',
    'enum',
    'pattern',
    'format',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'propertyNames', 'not'],
]);

const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

export function compareDocuments(before: Json, after: Json): readonly ApiChange[] {
  return compareValues(before, after, []);
}

function compareValues(before: Json, after: Json, path: readonly string[]): readonly ApiChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    return Object.keys({ ...before, ...after }).flatMap((key) => {
      if (!isMap(path) && texts.has(key)) return [];
      const there = [...path, key];
      if (!(key in before)) return [appeared(there)];
      if (!(key in after)) return [vanished(there)];
      return compareValues(before[key], after[key], there);
    });
  }
  if (Array.isArray(before) && Array.isArray(after) && isWidened(path, before, after)) {
    return [added(label(path), label(path))];
  }
  return [breaking(label(path), `${label(path)} was changed`)];
}

function appeared(path: readonly string[]): ApiChange {
  const isName = isMap(path.slice(0, -1)) || (path.at(-3) === 'paths' && methods.has(path.at(-1) ?? ''));
  // A keyword that appears (a limit, a requirement) narrows what was taken before.
  return isName ? added(label(path), label(path)) : breaking(label(path), `${label(path)} was added`);
}

function vanished(path: readonly string[]): ApiChange {
  const isLimit = !isMap(path.slice(0, -1)) && limits.has(path.at(-1) ?? '');
  const what = `${label(path)} was removed`;
  return isLimit && !isAnswer(path)
    ? { name: label(path), effect: 'added', what }
    : breaking(label(path), what);
}

/** More values may be sent, or fewer fields must be. */
function isWidened(path: readonly string[], before: readonly Json[], after: readonly Json[]): boolean {
  if (isAnswer(path) || isMap(path.slice(0, -1))) return false;
  const holds = (all: readonly Json[], some: readonly Json[]) => some.every((value) => all.includes(value));
  if (path.at(-1) === 'enum') return holds(after, before);
  return path.at(-1) === 'required' && holds(before, after);
}

/** Whether the object at a path is a map: a property may itself be named `properties`, so every second level is a name. */
function isMap(path: readonly string[]): boolean {
  const name = path.at(-1);
  return name !== undefined && maps.has(name) && !isMap(path.slice(0, -1));
}

function isAnswer(path: readonly string[]): boolean {
  return path.some((key, index) => key === 'responses' && isMap(path.slice(0, index + 1)));
}

function label(path: readonly string[]): string {
  return path.length === 0 ? 'the document' : path.join('.');
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

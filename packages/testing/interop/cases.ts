import type { Case } from './case.ts';
import { conformanceCases } from './conformance-cases.ts';
import { curlCases } from './curl-cases.ts';
import { generatedCases } from './generated-cases.ts';
import { axiosPeer } from './http-peers/axios.ts';
import { curlPeer } from './http-peers/curl.ts';
import { fetchPeer } from './http-peers/fetch.ts';
import { gotPeer } from './http-peers/got.ts';
import { kyPeer } from './http-peers/ky.ts';
import { openApiFetchPeer } from './http-peers/openapi-fetch.ts';
import { jsonSchemaCases } from './json-schema-cases.ts';
import { lintCases } from './lint-cases.ts';
import { prismMockCases } from './prism-mock-cases.ts';
import { prismProxyCases } from './prism-proxy-cases.ts';
import { serviceCasesOf } from './service-cases.ts';

/** Every case, in the order of the table. */
export function casesWith(curl: string | undefined): readonly Case[] {
  const withCurl = [...serviceCasesOf(curlPeer), ...curlCases];
  const withoutCurl = withCurl.map(({ peer, name }) => ({ peer, name, skipped: 'curl is not on the PATH' }));
  return [
    ...lintCases,
    ...jsonSchemaCases,
    ...prismMockCases,
    ...prismProxyCases,
    ...(curl === undefined ? withoutCurl : withCurl),
    ...[fetchPeer, axiosPeer, gotPeer, kyPeer].flatMap(serviceCasesOf),
    ...generatedCases,
    ...serviceCasesOf(openApiFetchPeer),
    ...conformanceCases,
  ];
}

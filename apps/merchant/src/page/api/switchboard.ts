import { LaneEvents } from '../../contract/desk-event.ts';
import {
  BurstAnswer,
  type BurstRequest,
  MeasuredAttempts,
  type SwitchboardSetting,
  SwitchboardView,
} from '../../contract/switchboard-view.ts';
import { jsonRequest, requestJson } from './request.ts';

/** How the switchboard is set. @throws {DeskProblem} */
export function fetchSwitchboard(signal: AbortSignal): Promise<SwitchboardView> {
  return requestJson(SwitchboardView, '/api/switchboard', { signal });
}

/** Sets it; resolves when it holds for updates sent from then on. @throws {DeskProblem} */
export function setSwitchboard(setting: SwitchboardSetting): Promise<SwitchboardView> {
  return requestJson(SwitchboardView, '/api/switchboard', jsonRequest('PUT', setting));
}

/** Has the desk send a burst; resolves with the updates accepted. @throws {DeskProblem} */
export function sendBurst(burst: BurstRequest): Promise<BurstAnswer> {
  return requestJson(BurstAnswer, '/api/switchboard/burst', jsonRequest('POST', burst));
}

/** What tells how far the updates have come that are in their lanes, oldest first. @throws {DeskProblem} */
export async function fetchLaneEvents(signal: AbortSignal): Promise<LaneEvents['events']> {
  const { events } = await requestJson(LaneEvents, '/api/switchboard/lanes', { signal });
  return events;
}

/** The attempts of the last five minutes, oldest first. @throws {DeskProblem} */
export async function fetchAttempts(signal: AbortSignal): Promise<MeasuredAttempts['attempts']> {
  const { attempts } = await requestJson(MeasuredAttempts, '/api/switchboard/attempts?minutes=5', { signal });
  return attempts;
}

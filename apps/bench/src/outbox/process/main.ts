import process from 'node:process';
import { answerParent } from '../../child/answer-parent.ts';

// The service and every worker run here, in processes of their own.
const [role, settings = ''] = process.argv.slice(2);
const started =
  role === 'service'
    ? await (await import('./service-role.ts')).startServiceRole(JSON.parse(settings))
    : await (await import('./contender-role.ts')).startContenderRole(JSON.parse(settings));
answerParent(started, process);

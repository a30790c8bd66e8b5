import process from 'node:process';
import { answerParent } from './child/answer-parent.ts';
import { startRole } from './child/roles.ts';

// Every measured thing runs here, in a process of its own, in the role that the parent names.
const [role = '', ...args] = process.argv.slice(2);
answerParent(await startRole(role, args), process);

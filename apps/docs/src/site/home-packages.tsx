import './home.css';
import { withBase } from 'vitepress';

const packages = [
  {
    name: '@orders/schema',
    text: 'The body of an update as a zod schema with clear errors, a form kit, JSON Schema and OpenAPI.',
    runs: 'any runtime, browsers too',
  },
  {
    name: '@orders/auth',
    text: 'Credentials that build the Authorization header and never print the key. No dependency.',
    runs: 'any runtime, browsers too',
  },
  {
    name: '@orders/client',
    text: 'Sends updates with retry and deadline, in sequence per order, and reports the outcome of each.',
    runs: 'Node 22.19 or newer; other runtimes over fetch',
  },
  {
    name: '@orders/testing',
    text: 'A mock order service over real HTTP that fails on command, in a test or on the command line.',
    runs: 'Node 22.19 or newer',
  },
] as const;

/** The packages, each with a way to its page. */
export function HomePackages() {
  return (
    <ul class="home-packages">
      {packages.map(({ name, text, runs }) => (
        <li key={name}>
          <a href={withBase(`/packages/${name.replace('@orders/', '')}.html`)}>
            <strong>{name}</strong>
            <span>{text}</span>
            <small>{runs}</small>
          </a>
        </li>
      ))}
    </ul>
  );
}

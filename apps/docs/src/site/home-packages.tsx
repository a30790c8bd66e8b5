import './home.css';
import { withBase } from 'vitepress';

const packages = [
  {
    name: '@orders/schema',
    text: 'The body of an update as a zod schema with hints a person can act on. JSON Schema and OpenAPI besides.',
    runs: 'any runtime, browsers too',
  },
  {
    name: '@orders/auth',
    text: 'Credentials that make the header and never show the key. No dependency.',
    runs: 'any runtime, browsers too',
  },
  {
    name: '@orders/client',
    text: 'Sends updates with retry and deadline, in sequence per order, and reports whether each was applied, or that this is unknown.',
    runs: 'Node 22.19 or newer; others over fetch',
  },
  {
    name: '@orders/testing',
    text: 'A real order service that fails on command: in a test, in memory, or at a prompt.',
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

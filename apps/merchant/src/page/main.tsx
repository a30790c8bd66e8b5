import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/create-query-client.ts';
import { App } from './app.tsx';
import { DeskStreamProvider } from './live/desk-stream-context.tsx';
import { cssVariables, theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={createQueryClient()}>
        <DeskStreamProvider>
          <App />
        </DeskStreamProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

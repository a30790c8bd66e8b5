/** Reports what no result and no error can say, where the runtime has a way to. */
export function warn(message: string): void {
  const { process } = globalThis as { process?: { emitWarning?: (message: string, name: string) => void } };
  process?.emitWarning?.(message, 'OrdersWarning');
}

/** One message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** Reads an event stream as a browser does, comments left out; ends with the stream. */
export async function* readStream(answer: Response): AsyncGenerator<StreamMessage, void> {
  let text = '';
  for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
      const data = fields.get('data');
      if (data !== undefined)
        yield { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) };
    }
  }
}

import { combine } from '@atlaskit/pragmatic-drag-and-drop/combine';
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { attachClosestEdge, extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge';
import type { LineDrop } from './drop-index.ts';

export interface LineDragOptions {
  readonly row: HTMLElement;
  readonly handle: HTMLElement;
  readonly index: number;
  /** Called with the index of the line while it is dragged, and with undefined afterwards. */
  readonly onDrag: (index: number | undefined) => void;
  readonly onDrop: (drop: LineDrop) => void;
}

/** Lets a line of the cart be dragged by its handle, and others be dropped on it; what it returns ends that. */
export function enableLineDrag({ row, handle, index, onDrag, onDrop }: LineDragOptions): () => void {
  const mark = (edge: string | null) => {
    if (edge === null) delete row.dataset['edge'];
    else row.dataset['edge'] = edge;
  };
  return combine(
    draggable({
      element: row,
      dragHandle: handle,
      getInitialData: () => ({ line: index }),
      onDragStart: () => {
        row.dataset['dragged'] = '';
        onDrag(index);
      },
      onDrop: () => {
        delete row.dataset['dragged'];
        onDrag(undefined);
      },
    }),
    dropTargetForElements({
      element: row,
      canDrop: ({ source }) => typeof source.data['line'] === 'number' && source.data['line'] !== index,
      getData: ({ input, element }) =>
        attachClosestEdge({ line: index }, { input, element, allowedEdges: ['top', 'bottom'] }),
      onDrag: ({ self }) => mark(extractClosestEdge(self.data)),
      onDragLeave: () => mark(null),
      onDrop: ({ self, source }) => {
        mark(null);
        const from = source.data['line'];
        const edge = extractClosestEdge(self.data);
        if (typeof from !== 'number' || (edge !== 'top' && edge !== 'bottom')) return;
        onDrop({ from, onto: index, edge });
      },
    }),
  );
}

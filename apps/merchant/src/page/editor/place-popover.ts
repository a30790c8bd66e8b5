/** Space between a button and what it opens, and between that and the edge of the window, in pixels. */
const gap = 6;

/** Puts a popover below the button that opened it, or above where there is no room, and within the window. */
export function placePopover(popover: HTMLElement, button: Element): void {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const isBelow = bottom + gap + height <= window.innerHeight || top - gap - height < 0;
  const isLeft = left + width <= window.innerWidth - gap;
  popover.style.margin = '0';
  popover.style.inset = 'auto';
  popover.style.left = `${Math.max(gap, isLeft ? left : right - width)}px`;
  popover.dataset['placed'] = '';
  popover.style.top = `${isBelow ? bottom + gap : top - gap - height}px`;
}

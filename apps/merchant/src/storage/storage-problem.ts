/**
 * Something in the way of opening or keeping the storage that whoever started the desk can change. The message is one
 * line that says what to do; it never holds a password.
 */
export class StorageProblem extends Error {
  override readonly name = 'StorageProblem';
}

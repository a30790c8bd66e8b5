/** Why a change of an update was refused. */
export type UpdateConflictCode = 'no_such_order' | 'no_such_update' | 'id_taken' | 'already_settled';

const messages: Readonly<Record<UpdateConflictCode, string>> = {
  no_such_order: 'This desk knows no such order.',
  no_such_update: 'This desk knows no such update.',
  id_taken: 'An update with this id was accepted with another order or body: choose a new id.',
  already_settled: 'What became of this update is stored already, and is not what is said now.',
};

/** A change of an update that does not fit what is stored. Nothing was changed, and asking again changes nothing. */
export class UpdateConflict extends Error {
  override readonly name = 'UpdateConflict';
  readonly code: UpdateConflictCode;

  constructor(code: UpdateConflictCode) {
    super(messages[code]);
    this.code = code;
  }
}

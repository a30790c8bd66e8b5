/** The id of what tells an order's updates, for links that lead there. */
export const activityId = 'activity';

/**
 * On a message that waited on its device: the id of the account or contributor it was written under. It is posted under
 * that name or not at all.
 */
export const WRITTEN_BY_HEADER = 'Nhaka-Written-By'

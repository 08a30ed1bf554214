/**
 * On a message that was stored offline: the id of the account or contributor who wrote it. The server posts it under
 * that name or not at all.
 */
export const WRITTEN_BY_HEADER = 'Nhaka-Written-By'

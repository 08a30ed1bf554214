/**
 * Query of each address of a memorial that shows all its gatherings on one sheet, `?print=gatherings`. Not in `pages/pages.ts`, which every page loads.
 */
export const PRINT = 'print'
export const GATHERINGS_SHEET = 'gatherings'

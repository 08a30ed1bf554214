/** Before the name of every cache of ours. Another number for another way of keeping: what is older goes. */
export const KEPT_PREFIX = 'kept-1:'
/** One cache a memorial, so that it is forgotten as a whole. The slug follows. */
export const MEMORIAL_PREFIX = `${KEPT_PREFIX}memorial:`
/** Scripts, styles and fonts of the pages that were opened. */
export const ASSETS = `${KEPT_PREFIX}assets`
/** The app's empty document. */
export const SHELL = `${KEPT_PREFIX}shell`

/** On an answer that came out of a cache and not from the server. */
export const KEPT_HEADER = 'Nhaka-Kept'

/** What a page tells its service worker. */
export type ToWorker =
  /** Loaded before the service worker was there: addresses of this site. */
  | { kind: 'seen'; urls: string[] }
  /** Somebody signs out, or in. */
  | { kind: 'forget' }

/** What the service worker tells a page: it shows what was kept, and the server says meanwhile that it is not to be seen. */
export type FromWorker = { kind: 'gone' }

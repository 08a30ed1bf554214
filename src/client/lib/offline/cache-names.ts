/** Prefix of all our cache names. Increase the number when the format changes; older caches are then deleted. */
export const CACHE_PREFIX = 'kept-1:'
/** Each memorial has its own cache, so that it can be deleted as a whole. The slug follows. */
export const MEMORIAL_CACHE_PREFIX = `${CACHE_PREFIX}memorial:`
/** Scripts, styles and fonts of visited pages. */
export const ASSETS = `${CACHE_PREFIX}assets`
/** The app's empty document. */
export const SHELL_CACHE = `${CACHE_PREFIX}shell`

/** Id of the element in which a page that is written for its viewer brings its data as JSON. */
export const PAGE_DATA = 'page-data'
/** The event of a window whose address no longer holds the invitation. */
export const LINK_DROPPED = 'link-dropped'

/** How a page begins that says why this browser may not see a memorial. */
export const REFUSED_PAGE = '<div id="root" data-refused'

/** Database of messages that wait to be sent; also the name of their lock, channel and background sync. */
export const WAITING_MESSAGES = 'waiting-messages'

/** Marks an answer that came from the cache and not from the server. */
export const FROM_CACHE_HEADER = 'Nhaka-Kept'

/** What a page posts to the service worker. */
export type ToWorker =
  /** URLs of this site that the page loaded before the service worker controlled it. */
  | { kind: 'seen'; urls: string[] }
  /** The answers that a page brought with it, as JSON. */
  | { kind: 'brought'; json: string }
  /** The app has started on such a page: it opens offline, too, and then needs these styles. */
  | { kind: 'app'; assets: string[] }
  /** The user signs out or in: delete the cached memorials. */
  | { kind: 'forget' }

/** What the service worker posts to a page: it shows a cached copy that the server no longer allows. */
export type FromWorker = { kind: 'gone' }

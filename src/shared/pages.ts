/**
 * The routes of the single-page app (product spec 2). The Worker answers these with 200 and everything else with the same
 * page and 404; the client builds its links from the same list.
 */
export const paths = {
  home: '/',
  dashboard: '/dashboard',
  login: '/login',
  register: '/register',
  verifyEmail: '/verify-email/:token',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password/:token',
  resetPasswordBare: '/reset-password',
  createMemorial: '/create-memorial',
  editMemorial: '/create-memorial/:id',
  memorial: '/memorial/:id',
  plaque: '/memorial/:id/plaque',
  publicMemorial: '/m/:slug',
  invite: '/invite/:token',
  checkout: '/checkout',
  admin: '/admin',
  contact: '/contact',
  faq: '/faq',
  about: '/about',
  terms: '/terms',
  privacy: '/privacy',
} as const

/** Cookie: `1` who chose to use less data, `0` who chose not to, whatever the browser says. */
export const DATA_SAVER = 'less-data'
/** Takes the choice: a form with `less` (`1` or `0`) and `to`, the path to go back to. */
export const DATA_SAVER_PATH = '/less-data'

/** What may stand in the query of a memorial's public address: everything else is dropped before a cache sees it. */
export const pageParameters = {
  /** Id of the photo that is open. */
  photo: 'photo',
  /** `all`, or where the photos go on. */
  photos: 'photos',
  /** Where the messages go on. */
  messages: 'messages',
} as const

const PATTERNS = Object.values(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/:[a-z]+/gu, '[^/]+')}/?$`, 'u'),
}))

/** True when the app has a screen at this path. */
export function isAppPath(pathname: string): boolean {
  return PATTERNS.some(({ pattern }) => pattern.test(pathname))
}

/**
 * Which document this path leads to: that of a public memorial and of no screen by the path itself, that of every other
 * screen by its path in {@link paths}, without the id or token in it.
 */
export function screenAt(pathname: string): string {
  const screen = PATTERNS.find(({ pattern }) => pattern.test(pathname))?.path
  return screen === undefined || screen === paths.publicMemorial ? pathname : screen
}

const CARD_FORM = /^\/(?:create-memorial|checkout)(?:\/|$)/u

/** True for screens with the card form: only their documents let the payment provider's script in. */
export function hasCardForm(pathname: string): boolean {
  return CARD_FORM.test(pathname)
}

/**
 * True for documents that may ask for the microphone: a voice is recorded on a memorial's page and in the builder, which
 * people reach from every screen without a new document. Not where there is nothing but paying.
 */
export function mayRecord(pathname: string): boolean {
  return isAppPath(pathname) && !pathname.startsWith(paths.checkout)
}

const ABOUT_THE_SERVICE = new Set<string>([
  paths.home,
  paths.about,
  paths.faq,
  paths.contact,
  paths.terms,
  paths.privacy,
])

/** True for pages about the service itself: people may find these, and no others, with a search engine. */
export function isAboutTheService(pathname: string): boolean {
  return ABOUT_THE_SERVICE.has(pathname)
}

/** Name of the `Server-Timing` entry of a page whose browser carries no session. */
export const NO_SESSION = 'no-session'

/** The app's routes. The Worker answers them with 200 and all others with the same page and 404. */
export const paths = {
  home: '/',
  dashboard: '/dashboard',
  login: '/login',
  register: '/register',
  verifyEmail: '/verify-email/:token',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password/:token',
  resetPasswordBare: '/reset-password',
  /** Signs in with a code on paper, for whoever has lost password and mailbox. */
  printedCode: '/printed-code',
  /** Confirms, or undoes, a change of mail address. Only a button there does so: programs that check mails open every link. */
  confirmEmail: '/confirm-email/:token',
  undoEmail: '/undo-email/:token',
  createMemorial: '/create-memorial',
  editMemorial: '/create-memorial/:id',
  memorial: '/memorial/:id',
  plaque: '/memorial/:id/plaque',
  publicMemorial: '/m/:slug',
  /** What a visitor has left at a public memorial. */
  visitorWords: '/m/:slug/words',
  invite: '/invite/:token',
  /** Asks for the PIN of an invitation. */
  invitePin: '/invite/:token/pin',
  /** Ends mails. It does so by a POST only: programs that check mails open every link. */
  unsubscribe: '/unsubscribe/:token',
  /** Changes or takes back a reply, by a mailed link. */
  reply: '/reply/:token',
  keeperInvite: '/keep/:token',
  /** What this browser has replied to the gatherings of a memorial. */
  replies: '/memorial/:id/replies',
  /** Where a relative is known again on a new phone, and leaves an address for that. */
  again: '/memorial/:id/again',
  /** Where somebody asks for mails about a memorial. */
  follow: '/memorial/:id/follow',
  /** Begins, or ends, such mails. Only a button there does so: programs that check mails open every link. */
  confirmFollow: '/follow/:token',
  unfollow: '/unfollow/:token',
  /** Where somebody whom its owner named asks for a memorial, and takes it over. */
  successor: '/memorial/:id/successor',
  /** Says that an owner is still there. By a POST only, as `unsubscribe`. */
  stillHere: '/still-here/:token',
  /** Asks the family to be let in. */
  askIn: '/memorial/:id/ask',
  /** The mailed link of whoever was let in. */
  letIn: '/let-in/:token',
  checkout: '/checkout',
  /** Anybody with the link pays here for somebody else's memorial, or for one that they give. */
  pay: '/pay/:token',
  /** Begins a gift. */
  gift: '/gift',
  /** Opens a memorial with a gift's code. */
  redeem: '/redeem/:code',
  redeemBare: '/redeem',
  admin: '/admin',
  contact: '/contact',
  requestRemoval: '/request-removal',
  report: '/report',
  faq: '/faq',
  about: '/about',
  terms: '/terms',
  privacy: '/privacy',
} as const

/** The list of what waits, on the page of a memorial. */
export const QUEUE = '#waiting'

/** Cookie: `1` if the user turned data saver on, `0` if off. It overrides the browser's setting. */
export const DATA_SAVER = 'less-data'
/** Stores the choice: a form with `less` (`1` or `0`) and `to`, the path to return to. */
export const DATA_SAVER_PATH = '/less-data'

/** Query parameters of a memorial's public address. All others are dropped before the cache sees the request. */
export const pageParameters = {
  /** Id of the open photo. */
  photo: 'photo',
  /** `all`, or the cursor of the next photos. */
  photos: 'photos',
  /** Cursor of the next comments. */
  messages: 'messages',
} as const

const PATTERNS = Object.values(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/:[a-z]+/gu, '[^/]+')}/?$`, 'u'),
}))

/** True if the app has a screen at this path. */
export function isAppPath(pathname: string): boolean {
  return PATTERNS.some(({ pattern }) => pattern.test(pathname))
}

/** The document for a path: the path itself for a public memorial or no screen, else the one in {@link paths}. */
export function screenAt(pathname: string): string {
  const screen = PATTERNS.find(({ pattern }) => pattern.test(pathname))?.path
  return screen === undefined || screen === paths.publicMemorial ? pathname : screen
}

const CARD_FORM = /^\/(?:create-memorial|checkout|pay)(?:\/|$)/u

/** True for screens with the card form: only their documents allow the payment provider's script. */
export function hasCardForm(pathname: string): boolean {
  return CARD_FORM.test(pathname)
}

/** True for documents that lead to recording, also without a new document. Only screens that just take a payment don't. */
export function allowsMicrophone(pathname: string): boolean {
  return isAppPath(pathname) && !pathname.startsWith(paths.checkout) && screenAt(pathname) !== paths.pay
}

/** Names of the `Server-Timing` entries that say whether the browser sent a session. */
export const NO_SESSION = 'no-session'
export const HAS_SESSION = 'session'

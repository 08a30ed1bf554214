import { isAppPath, paths, screenAt } from './pages.ts'

/** Screens that the Worker writes for browsers without a session, by the path in {@link paths}. The checkout is written for signed-in users. */
const SCREENS = {
  [paths.login]: 'Login',
  [paths.register]: 'Register',
  [paths.verifyEmail]: 'VerifyEmail',
  [paths.forgotPassword]: 'ForgotPassword',
  [paths.resetPassword]: 'ResetPassword',
  [paths.resetPasswordBare]: 'ResetPassword',
  [paths.printedCode]: 'PrintedCode',
  [paths.confirmEmail]: 'ConfirmEmail',
  [paths.undoEmail]: 'UndoEmail',
  [paths.invitePin]: 'Invite',
  [paths.askIn]: 'AskIn',
  [paths.letIn]: 'LetIn',
  [paths.unsubscribe]: 'Unsubscribe',
  [paths.confirmFollow]: 'FollowMail',
  [paths.unfollow]: 'FollowMail',
  [paths.stillHere]: 'StillHere',
  [paths.contact]: 'Contact',
  [paths.requestRemoval]: 'RequestRemoval',
  [paths.report]: 'Report',
  [paths.faq]: 'Faq',
  [paths.about]: 'About',
  [paths.terms]: 'Terms',
  [paths.privacy]: 'Privacy',
} as const

export type ScreenName =
  | (typeof SCREENS)[keyof typeof SCREENS]
  | 'Checkout'
  | 'VisitorWords'
  | 'Replies'
  | 'Reply'
  | 'Again'
  | 'Follow'
  | 'NotFound'
  | 'NoMemorial'
/** `path` is the one in {@link paths}, without any token; unknown paths share one. */
export type WrittenScreen = { name: ScreenName; path: string }

const BELOW_A_MEMORIAL = /^\/(?:m|memorial)(?:\/|$)/u
const NEEDS_SESSION = /^\/(?:dashboard|checkout|create-memorial(?:\/.*)?|memorial\/[^/]+\/plaque)\/?$/u
/** Query parameters that a screen shows. All others are ignored, and so that nobody can have text pages rendered at will. */
const SHOWN: Partial<Record<ScreenName, readonly string[]>> = {
  Login: ['next', 'registered', 'resent'],
  Register: ['next'],
  VerifyEmail: ['done', 'password'],
  ForgotPassword: ['sent'],
  ResetPassword: ['done'],
  ConfirmEmail: ['done', 'sent'],
  UndoEmail: ['done'],
  Unsubscribe: ['done'],
  FollowMail: ['done'],
  StillHere: ['done'],
  Contact: ['sent'],
  RequestRemoval: ['memorial', 'sent'],
  Report: ['item', 'sent'],
  AskIn: ['sent'],
}

/** The written screen at a path, or null if the app's document or another page is there. */
export function writtenScreenAt(pathname: string): WrittenScreen | null {
  // As the app's router, which ignores case.
  const known = pathname.toLowerCase()
  const path = screenAt(known)
  if (Object.hasOwn(SCREENS, path)) return { name: SCREENS[path as keyof typeof SCREENS], path }
  if (isAppPath(known) || needsSession(known)) return null
  return BELOW_A_MEMORIAL.test(known)
    ? { name: 'NoMemorial', path: '/memorial/unknown/unknown' }
    : { name: 'NotFound', path: '/unknown' }
}

/** True if the screen shows something of the query, so that a page for its path alone wouldn't do. */
export function showsQuery({ name }: WrittenScreen, query: { has: (name: string) => boolean }): boolean {
  return SHOWN[name]?.some((parameter) => query.has(parameter)) ?? false
}

/** True for screens that show others the login, which leads back. */
export function needsSession(pathname: string): boolean {
  return NEEDS_SESSION.test(pathname.toLowerCase())
}

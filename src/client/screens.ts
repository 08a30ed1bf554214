import { lazy, type ComponentType } from 'react'

/** Loads the screens of the app, each from a chunk of its own. */
export const loadScreen = {
  Home: () => import('#client/pages/home.tsx'),
  Login: () => import('#client/pages/login.tsx'),
  Register: () => import('#client/pages/register.tsx'),
  VerifyEmail: () => import('#client/pages/verify-email.tsx'),
  ForgotPassword: () => import('#client/pages/forgot-password.tsx'),
  ResetPassword: () => import('#client/pages/reset-password.tsx'),
  PrintedCode: () => import('#client/pages/printed-code.tsx'),
  ConfirmEmail: () => import('#client/pages/confirm-email.tsx'),
  UndoEmail: () => import('#client/pages/undo-email.tsx'),
  Dashboard: () => import('#client/pages/dashboard.tsx'),
  Wizard: () => import('#client/pages/wizard.tsx'),
  Checkout: () => import('#client/pages/checkout.tsx'),
  Pay: () => import('#client/pages/pay.tsx'),
  Gift: () => import('#client/pages/gift.tsx'),
  Redeem: () => import('#client/pages/redeem.tsx'),
  Admin: () => import('#client/pages/admin.tsx'),
  Plaque: () => import('#client/pages/plaque.tsx'),
  Memorial: () => import('#client/pages/memorial.tsx'),
  PublicMemorial: () => import('#client/pages/public-memorial.tsx'),
  VisitorWords: () => import('#client/pages/visitor-words.tsx'),
  Replies: () => import('#client/pages/replies.tsx'),
  Reply: () => import('#client/pages/reply.tsx'),
  Again: () => import('#client/pages/again.tsx'),
  Invite: () => import('#client/pages/invite.tsx'),
  Keep: () => import('#client/pages/keep.tsx'),
  Follow: () => import('#client/pages/follow.tsx'),
  FollowMail: () => import('#client/pages/follow-mail.tsx'),
  Unsubscribe: () => import('#client/pages/unsubscribe.tsx'),
  Successor: () => import('#client/pages/successor.tsx'),
  StillHere: () => import('#client/pages/still-here.tsx'),
  Contact: () => import('#client/pages/contact.tsx'),
  RequestRemoval: () => import('#client/pages/request-removal.tsx'),
  Report: () => import('#client/pages/report.tsx'),
  Faq: () => import('#client/pages/faq.tsx'),
  About: () => import('#client/pages/about.tsx'),
  Terms: () => import('#client/pages/terms.tsx'),
  Privacy: () => import('#client/pages/privacy.tsx'),
  NoMemorial: () => import('#client/pages/no-memorial.tsx'),
  NotFound: () => import('#client/pages/not-found.tsx'),
}

/** The screens of the app; each loads when it opens. */
export const screens = Object.fromEntries(
  Object.entries(loadScreen).map(([name, load]) => [name, lazy<ComponentType>(load)]),
) as unknown as Record<keyof typeof loadScreen, ComponentType>

import { lazy } from 'react'

/** The screens of the app, each in a chunk that loads when the screen opens. */
export const screens = {
  Home: lazy(() => import('#client/pages/home.tsx')),
  Login: lazy(() => import('#client/pages/login.tsx')),
  Register: lazy(() => import('#client/pages/register.tsx')),
  VerifyEmail: lazy(() => import('#client/pages/verify-email.tsx')),
  ForgotPassword: lazy(() => import('#client/pages/forgot-password.tsx')),
  ResetPassword: lazy(() => import('#client/pages/reset-password.tsx')),
  Dashboard: lazy(() => import('#client/pages/dashboard.tsx')),
  Wizard: lazy(() => import('#client/pages/wizard.tsx')),
  Checkout: lazy(() => import('#client/pages/checkout.tsx')),
  Admin: lazy(() => import('#client/pages/admin.tsx')),
  Plaque: lazy(() => import('#client/pages/plaque.tsx')),
  Memorial: lazy(() => import('#client/pages/memorial.tsx')),
  PublicMemorial: lazy(() => import('#client/pages/public-memorial.tsx')),
  Invite: lazy(() => import('#client/pages/invite.tsx')),
  Contact: lazy(() => import('#client/pages/contact.tsx')),
  RequestRemoval: lazy(() => import('#client/pages/request-removal.tsx')),
  Faq: lazy(() => import('#client/pages/faq.tsx')),
  About: lazy(() => import('#client/pages/about.tsx')),
  Terms: lazy(() => import('#client/pages/terms.tsx')),
  Privacy: lazy(() => import('#client/pages/privacy.tsx')),
  NoMemorial: lazy(() => import('#client/pages/no-memorial.tsx')),
  NotFound: lazy(() => import('#client/pages/not-found.tsx')),
}

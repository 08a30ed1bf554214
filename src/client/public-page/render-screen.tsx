import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import type { VisitorWords } from '#shared/comments/comments.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import type { ScreenName } from '#shared/pages/written-screens.ts'
import {
  DocumentTitleContext,
  ForViewerContext,
  OriginContext,
  PostedFormContext,
  type PostedForm,
} from '#client/lib/server-rendering.ts'
import { InvitePin } from '#client/features/invites/invite-pin.tsx'
import AboutPage from '#client/pages/texts/about.tsx'
import AskInPage from '#client/pages/memorial/ask-in.tsx'
import LetInPage from '#client/pages/memorial/let-in.tsx'
import AgainPage from '#client/pages/memorial/again.tsx'
import CheckoutPage from '#client/pages/payment/checkout.tsx'
import ConfirmEmailPage from '#client/pages/accounts/confirm-email.tsx'
import ContactPage from '#client/pages/accounts/contact.tsx'
import FaqPage from '#client/pages/texts/faq.tsx'
import FollowPage from '#client/pages/memorial/follow.tsx'
import FollowMailPage from '#client/pages/memorial/follow-mail.tsx'
import ForgotPasswordPage from '#client/pages/accounts/forgot-password.tsx'
import LoginPage from '#client/pages/accounts/login.tsx'
import NoMemorialPage from '#client/pages/memorial/no-memorial.tsx'
import NotFoundPage from '#client/pages/not-found.tsx'
import PrintedCodePage from '#client/pages/accounts/printed-code.tsx'
import PrivacyPage from '#client/pages/texts/privacy.tsx'
import RegisterPage from '#client/pages/accounts/register.tsx'
import RepliesPage from '#client/pages/memorial/replies.tsx'
import ReplyPage from '#client/pages/memorial/reply.tsx'
import ReportPage from '#client/pages/memorial/report.tsx'
import RequestRemovalPage from '#client/pages/accounts/request-removal.tsx'
import ResetPasswordPage from '#client/pages/accounts/reset-password.tsx'
import TermsPage from '#client/pages/texts/terms.tsx'
import UndoEmailPage from '#client/pages/accounts/undo-email.tsx'
import StillHerePage from '#client/pages/still-here.tsx'
import UnsubscribePage from '#client/pages/accounts/unsubscribe.tsx'
import VisitorWordsPage from '#client/pages/memorial/visitor-words.tsx'
import VerifyEmailPage from '#client/pages/accounts/verify-email.tsx'
import { appToRender } from './app-to-render.tsx'
import { writtenPageClient, type Config } from './page-client.ts'

export type { PostedForm } from '#client/lib/server-rendering.ts'
export type { Problem } from '#client/lib/use-form.ts'
export { nextPath } from '#client/features/accounts/next-path.ts'
export * as formChecks from '#client/features/accounts/form-checks.ts'

const SCREENS: Record<ScreenName, ComponentType> = {
  Login: LoginPage,
  Register: RegisterPage,
  VerifyEmail: VerifyEmailPage,
  ForgotPassword: ForgotPasswordPage,
  ResetPassword: ResetPasswordPage,
  PrintedCode: PrintedCodePage,
  ConfirmEmail: ConfirmEmailPage,
  UndoEmail: UndoEmailPage,
  Contact: ContactPage,
  RequestRemoval: RequestRemovalPage,
  Report: ReportPage,
  AskIn: AskInPage,
  LetIn: LetInPage,
  // Only where it asks for a PIN.
  Invite: InvitePin,
  Unsubscribe: UnsubscribePage,
  Follow: FollowPage,
  FollowMail: FollowMailPage,
  StillHere: StillHerePage,
  Checkout: CheckoutPage,
  VisitorWords: VisitorWordsPage,
  Replies: RepliesPage,
  Reply: ReplyPage,
  Again: AgainPage,
  Faq: FaqPage,
  About: AboutPage,
  Terms: TermsPage,
  Privacy: PrivacyPage,
  NoMemorial: NoMemorialPage,
  NotFound: NotFoundPage,
}

/** Null for a call that found nothing. */
export type Answers = Readonly<Record<string, unknown>>

export type ScreenToRender = {
  name: ScreenName
  /** Path and query. */
  path: string
  /** The origin of this site, `https://…` without a slash. */
  origin: string
  config: Config
  isDataSaver: boolean
  /** The refused form that this page answers, or null. */
  posted: PostedForm | null
  /** Who looks at it, or null for a visitor without a session. */
  user: User | null
  /** What a visitor has left at a memorial: for the screen that shows it. */
  words: VisitorWords | null
  /** Answers of GET calls, by their address: for screens of replies and of a new phone. */
  answers: Answers
}

/** Renders a screen with the app's own components. */
export function renderScreen(screen: ScreenToRender): { html: string; title: string | null } {
  const { name, path, origin, config, isDataSaver, posted, user, words, answers } = screen
  const queryClient = writtenPageClient(user, config)
  if (words) {
    const { queryKey } = endpointQuery(api.visitorWords, { params: { slug: words.memorial.slug } })
    queryClient.setQueryData(queryKey, words)
  }
  for (const [key, answer] of Object.entries(answers)) queryClient.setQueryData([key], answer)
  const hasAnswers = Object.keys(answers).length > 0
  const collected = { title: null }
  const html = renderToString(
    <OriginContext value={origin}>
      <PostedFormContext value={posted}>
        <DocumentTitleContext value={collected}>
          <ForViewerContext value={user !== null || words !== null || hasAnswers}>
            {appToRender({ queryClient, screen: { [name]: SCREENS[name] }, path, isDataSaver })}
          </ForViewerContext>
        </DocumentTitleContext>
      </PostedFormContext>
    </OriginContext>,
  )
  return { html, title: collected.title }
}

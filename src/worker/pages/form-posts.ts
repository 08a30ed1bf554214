import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import { toContactMessage } from '#shared/removal/removal-requests.ts'
import { api } from '#shared/api.ts'
import type { Endpoint, OutputOf } from '#shared/endpoint.ts'
import { AppError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import { paths } from '#shared/pages/pages.ts'
import { ASK_IN_FORM, LET_IN_FORM, PIN_FORM } from '#shared/pages/plain-forms.ts'
import { writtenScreenAt, type ScreenName } from '#shared/pages/written-screens.ts'
import type * as Rendering from '#client/public-page/render-screen.tsx'
import {
  callApi,
  callTo,
  postedForm,
  readFields,
  requireOwnForm,
  seeOther,
  showAgain,
  toRefusal,
  withInvite,
  type FormRequest,
} from '#worker/pages/form-request.ts'
import { addressForVisitors, personalScreen } from '#worker/pages/screen-page.ts'
import type { Env } from '#worker/platform/env.ts'

type Values = Record<string, string>
/** The address of the page, and the token in it, as it is there. */
type Sent = { url: URL; token: string; rendering: typeof Rendering }

/** A form that a browser without script posts to its page, and the call that it stands for. */
type PlainForm = {
  /** As in `useForm`. */
  name: string
  fields: readonly string[]
  endpoint: Endpoint
  /** What the screen itself checks before it calls. */
  check?: (values: Values, sent: Sent) => Rendering.Problem | null
  /** Values for the path of the call; without it only `token`. */
  params?: (values: Values) => Values
  /** Body of the call; none if it has none. */
  body?: (values: Values, token: string) => unknown
  /** The address to show after success, from the output of the call. */
  next: (sent: Sent, output: unknown) => string
}

/** The page itself, with a parameter that says what to show. Its other parameters stay. */
function here({ url }: Sent, shows: string): string {
  const next = new URL(url)
  for (const name of ['sent', 'done', 'password', 'resent', 'registered']) next.searchParams.delete(name)
  next.searchParams.set(shows, '1')
  return next.pathname + next.search
}

/** A report of one item: where "Report" leads without script. */
function reportBy(endpoint: Endpoint): PlainForm {
  return {
    name: 'report',
    fields: ['item', 'reason', 'words'],
    endpoint,
    params: ({ item = '' }) => ({ id: item }),
    body: ({ reason, words }) => ({ reason, words }),
    next: (sent) => here(sent, 'sent'),
  }
}

const FORMS: Partial<Record<ScreenName, Record<string, PlainForm>>> = {
  Login: {
    '': {
      name: 'login',
      fields: ['email', 'password'],
      endpoint: api.login,
      check: (values, { rendering }) => rendering.formChecks.checkLogin(values as never),
      body: (values) => values,
      next: ({ url, rendering }) => rendering.nextPath(url.search),
    },
    resend: {
      name: 'resend',
      fields: ['email'],
      endpoint: api.resendVerification,
      body: (values) => values,
      next: (sent) => here(sent, 'resent'),
    },
  },
  Register: {
    '': {
      name: 'register',
      fields: ['firstName', 'lastName', 'email', 'password', 'confirmPassword'],
      endpoint: api.register,
      check: (values, { rendering }) => rendering.formChecks.checkRegister(values as never),
      body: ({ firstName, lastName, email, password }) => ({ firstName, lastName, email, password }),
      next: (sent) => here({ ...sent, url: new URL(`/login${sent.url.search}`, sent.url) }, 'registered'),
    },
  },
  ForgotPassword: {
    '': {
      name: 'forgot',
      fields: ['email'],
      endpoint: api.forgotPassword,
      check: (values, { rendering }) => rendering.formChecks.checkForgot(values as never),
      body: (values) => values,
      next: (sent) => here(sent, 'sent'),
    },
  },
  ResetPassword: {
    '': {
      name: 'reset',
      fields: ['password', 'confirmPassword'],
      endpoint: api.resetPassword,
      check: (values, { rendering, token }) => rendering.formChecks.checkReset(token)(values as never),
      body: ({ password }, token) => ({ token, password }),
      next: (sent) => here(sent, 'done'),
    },
  },
  VerifyEmail: {
    open: {
      name: 'open',
      fields: [],
      endpoint: api.openVerificationLink,
      next: (sent, output) => here(sent, isRecord(output) && 'needsPassword' in output ? 'password' : 'done'),
    },
    '': {
      name: 'verify',
      fields: ['firstName', 'lastName', 'password'],
      endpoint: api.verifyEmail,
      check: (values, { rendering, token }) => rendering.formChecks.checkVerify(token)(values as never),
      body: (values, token) => ({ token, ...values }),
      next: (sent) => here(sent, 'done'),
    },
  },
  PrintedCode: {
    '': {
      name: 'printed-code',
      fields: ['email', 'code', 'password'],
      endpoint: api.signInByPrintedCode,
      check: (values, { rendering }) => rendering.formChecks.checkPrintedCode(values as never),
      body: (values) => values,
      next: ({ url, rendering }) => rendering.nextPath(url.search),
    },
  },
  ConfirmEmail: {
    '': {
      name: 'confirm-email',
      fields: [],
      endpoint: api.confirmEmailChange,
      body: (_, token) => ({ token }),
      next: (sent, output) => here(sent, isRecord(output) && output['isChanged'] === true ? 'done' : 'sent'),
    },
  },
  UndoEmail: {
    '': {
      name: 'undo-email',
      fields: [],
      endpoint: api.undoEmailChange,
      body: (_, token) => ({ token }),
      next: (sent) => here(sent, 'done'),
    },
  },
  AskIn: {
    '': {
      name: ASK_IN_FORM,
      fields: ['name', 'relation', 'email'],
      endpoint: api.askToBeLetIn,
      body: (values) => values,
      next: (sent) => here(sent, 'sent'),
    },
  },
  LetIn: {
    '': {
      name: LET_IN_FORM,
      fields: [],
      endpoint: api.openLetIn,
      next: (_, output) => {
        const { memorialId } = output as OutputOf<typeof api.openLetIn>
        return fillPath(paths.memorial, { id: memorialId })
      },
    },
  },
  Invite: {
    '': {
      name: PIN_FORM,
      fields: ['pin'],
      endpoint: api.createContributorSession,
      // A name is asked for with the first thing that they add.
      body: ({ pin }) => ({ displayName: GUEST_NAME, pin }),
      next: ({ token }, output) => {
        const { memorialId } = output as OutputOf<typeof api.createContributorSession>
        return withInvite(fillPath(paths.memorial, { id: memorialId }), token)
      },
    },
  },
  Contact: {
    '': {
      name: 'contact',
      fields: ['email', 'subject', 'message'],
      endpoint: api.contact,
      check: (values, { rendering }) => rendering.formChecks.checkContact(values as never),
      body: (values) => values,
      next: (sent) => here(sent, 'sent'),
    },
  },
  Report: {
    'report-message': reportBy(api.reportComment),
    'report-media': reportBy(api.reportMedia),
  },
  RequestRemoval: {
    '': {
      name: 'request-removal',
      fields: ['memorial', 'reason', 'what', 'email'],
      endpoint: api.contact,
      check: (values, { rendering }) => rendering.formChecks.checkRemoval(values as never),
      body: (values) => toContactMessage(values as never),
      next: (sent) => here(sent, 'sent'),
    },
  },
}

const TOKEN = /^\/[^/]+\/([^/]+)(?:\/|$)/u
const SECRET = /password|code|pin/iu

/**
 * Answers a form of a written screen that a browser sent without script: makes its call and leads on, or shows the screen
 * again with what was typed and what is wrong. Null for anything else.
 */
export async function answerForm(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const url = addressForVisitors(new URL(request.url))
  const screen = writtenScreenAt(url.pathname)
  const forms = screen && FORMS[screen.name]
  if (request.method !== 'POST' || !forms) return null
  if (!isUrlEncoded(request)) return null
  let form = forms[''] ?? null
  let values: Values = {}
  try {
    requireOwnForm(request, env)
    const fields = await readFields(request)
    const kind = fields.get('form') ?? ''
    if (Object.hasOwn(forms, kind)) form = forms[kind] ?? form
    if (!form) return null
    values = valuesOf(fields, form.fields)
    return await send({ request, env, execution, url, form, values })
  } catch (error) {
    return form && refusedPage({ request, env, execution, url, form, values }, toRefusal(error))
  }
}

type Attempt = FormRequest & { url: URL; form: PlainForm; values: Values }

async function send(attempt: Attempt): Promise<Response> {
  const { url, form, values } = attempt
  const token = TOKEN.exec(url.pathname)?.[1] ?? ''
  const sent = { url, token, rendering: await import('#client/public-page/render-screen.tsx') }
  const problem = form.check?.(values, sent)
  if (problem) throw new AppError('bad_input', problem.text, { fields: problem.fields })
  const answer = await callApi(attempt, {
    ...callTo(form.endpoint, form.params?.(values) ?? { token, id: token }),
    body: form.body && JSON.stringify(form.body(values, token)),
  })
  if (!answer.ok) return refusedPage(attempt, answer)
  const output: unknown = await answer.json()
  return seeOther(attempt, form.next(sent, output), answer.headers.getSetCookie())
}

/** The screen again: why it was refused, and what was typed. */
async function refusedPage(attempt: Attempt, refusal: Response): Promise<Response> {
  const { request, env, form, values } = attempt
  const shown = Object.entries(values).filter(([name]) => !SECRET.test(name))
  const posted = await postedForm(form.name, Object.fromEntries(shown), refusal)
  const page = await personalScreen(request, env, posted, refusal.status)
  return showAgain(page, attempt, refusal, refusal.headers.getSetCookie())
}

/** The form's own fields; missing ones are empty. */
function valuesOf(fields: URLSearchParams, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, fields.get(name) ?? '']))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

import { api } from '#shared/api.ts'
import type { VisitorWords } from '#shared/comments/comments.ts'
import type { OutputOf } from '#shared/endpoint.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import {
  VISITOR_FORM,
  WORDS_KEY,
  WORDS_LEFT,
  WORDS_LINK_MAILED,
  WORDS_TAKEN_BACK,
} from '#shared/pages/plain-forms.ts'
import { addWordsToken, readWordsTokens, renewWordsTokens } from '#worker/access/contributor-sessions.ts'
import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import {
  callApi,
  callTo,
  isSignedIn,
  postedForm,
  readFields,
  refusalAsText,
  requireOwnForm,
  seeOther,
  showAgain,
  toRefusal,
  type FormRequest,
} from '#worker/pages/form-request.ts'
import { visitorWordsScreen } from '#worker/pages/screen-page.ts'
import type { Env } from '#worker/platform/env.ts'
import { uuidOf } from '#worker/platform/random.ts'

const WORDS = /^\/m\/([a-z0-9-]+)\/words\/?$/u
/** The fields of the form, by the names that they have in its refusal. */
const FIELDS = ['message', 'name', 'relation', 'email'] as const

/** What this browser has left at a public memorial; null for any other page, and where there is nothing to see. */
export async function visitorWordsPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const slug = WORDS.exec(new URL(request.url).pathname)?.[1]
  if (slug === undefined) return null
  const form = { request, env, execution }
  const key = new URL(request.url).searchParams.get(WORDS_KEY)
  if (key !== null) return openMailedLink(form, slug, key)
  const hasOthers = readWordsTokens(request, slug).length > 0
  if (!hasOthers && (await isSignedIn(form))) return null
  const found = await readWords(form, slug)
  if (!found) return null
  const page = await visitorWordsScreen(request, env, found.words, null, 200)
  for (const cookie of found.cookies) page.headers.append('Set-Cookie', cookie)
  return page
}

/**
 * Answers a form of a visitor of a public memorial, with script or without: makes the API's call and leads to the page of their words, or
 * shows it with the form and what is wrong. Null for anything else.
 */
export async function answerVisitorForm(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const slug = WORDS.exec(new URL(request.url).pathname)?.[1]
  if (request.method !== 'POST' || slug === undefined || !isUrlEncoded(request)) return null
  const form = { request, env, execution }
  let values: Record<string, string> = {}
  try {
    requireOwnForm(request, env)
    const fields = await readFields(request)
    values = Object.fromEntries(FIELDS.map((name) => [name, fields.get(name) ?? '']))
    const taken = fields.get('take')
    const answer = await (taken === null ? leaveWords(form, slug, values) : takeBack(form, slug, taken))
    // Somebody has pressed twice.
    const isGone = taken !== null && answer.status === 404
    if (!answer.ok && !isGone) return await refusedPage(form, slug, values, answer)
    const done = taken === null ? await saysLeft(answer) : `${WORDS_TAKEN_BACK}=1`
    return seeOther(form, `${fillPath(paths.visitorWords, { slug })}?${done}`, answer.headers.getSetCookie())
  } catch (error) {
    return refusedPage(form, slug, values, toRefusal(error))
  }
}

function leaveWords(form: FormRequest, slug: string, values: Record<string, string>): Promise<Response> {
  const { name = '', relation = '', message = '', email = '' } = values
  return callApi(form, {
    ...callTo(api.leaveMessage, { slug }),
    body: JSON.stringify({ name, relation, body: message, email }),
    // The page is the same for everybody, so only the words tell that a form is sent twice.
    headers: { 'Idempotency-Key': uuidOf(JSON.stringify([slug, name, relation, message])) },
  })
}

/** What the page says after words were left. */
async function saysLeft(answer: Response): Promise<string> {
  const { isLinkMailed = false } = await answer.json<OutputOf<typeof api.leaveMessage>>()
  return isLinkMailed ? `${WORDS_LEFT}=1&${WORDS_LINK_MAILED}=1` : `${WORDS_LEFT}=1`
}

async function takeBack(form: FormRequest, slug: string, id: string): Promise<Response> {
  const call = callTo(api.deleteComment, { id })
  for (const token of readWordsTokens(form.request, slug)) {
    const answer = await callByToken(form, token, call)
    if (answer.ok) return answer
  }
  return callApi(form, call)
}

/** The cookies keep what they show for as long again. */
type FoundWords = { words: VisitorWords; cookies: string[] }

/** What this browser has left, under whatever address, together with what a mailed link shows that it has opened. */
async function readWords(form: FormRequest, slug: string): Promise<FoundWords | null> {
  const call = callTo(api.visitorWords, { slug })
  const [own, ...byTokens] = await Promise.all([
    callApi(form, call),
    ...readWordsTokens(form.request, slug).map((token) => callByToken(form, token, call)),
  ])
  const answers = [own, ...byTokens]
  const found = await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.json<VisitorWords>()))
  const [first, ...others] = found
  if (!first) return null
  const all = [first, ...others].flatMap(({ comments }) => comments)
  const byId = new Map(all.map((comment) => [comment.id, comment]))
  const comments = [...byId.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  const headers = new Headers()
  renewWordsTokens(headers, form.request, slug)
  const cookies = [...own.headers.getSetCookie(), ...headers.getSetCookie()]
  return { words: { ...first, comments }, cookies }
}

/** Makes a call as nobody but whoever has this token. */
function callByToken(form: FormRequest, token: string, call: ReturnType<typeof callTo>): Promise<Response> {
  return callApi(form, { ...call, headers: { 'X-Contributor-Token': token, Cookie: '' } })
}

/**
 * Opens a mailed link: its token moves from the address into a cookie, if it shows anything. Not into the cookie of the memorial: that
 * would end the browser's own session, and somebody's link could make others write in their name.
 */
async function openMailedLink(form: FormRequest, slug: string, token: string): Promise<Response> {
  const answer = await callByToken(form, token, callTo(api.visitorWords, { slug }))
  const headers = new Headers()
  const hasWords = answer.ok && (await answer.json<VisitorWords>()).comments.length > 0
  if (hasWords) addWordsToken(headers, form.request, slug, token)
  return seeOther(form, fillPath(paths.visitorWords, { slug }), headers.getSetCookie())
}

/** The page of their words, with the form as it was sent. Where the memorial isn't public any longer, the reason and the words as text. */
async function refusedPage(
  form: FormRequest,
  slug: string,
  values: Record<string, string>,
  refusal: Response,
): Promise<Response> {
  const { request, env } = form
  const posted = await postedForm(VISITOR_FORM, values, refusal)
  const again = new Request(request.url, { headers: request.headers })
  const page = await readWords({ ...form, request: again }, slug)
    .then((found) => found && visitorWordsScreen(request, env, found.words, posted, refusal.status))
    // What was typed matters more than how it is shown.
    .catch(() => null)
  const typed = Object.values(values).filter(Boolean).join('\n')
  return showAgain(page ?? refusalAsText(form, posted.problem.text, typed, refusal.status), form, refusal, [])
}

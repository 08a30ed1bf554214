import { api } from '#shared/api.ts'
import type { OutputOf } from '#shared/endpoint.ts'
import {
  changeForm,
  REPLY_DONE,
  REPLY_MAILED,
  REPLY_OF,
  REPLY_WORDS_SHOWN,
  replyForm,
  withdrawForm,
} from '#shared/pages/plain-forms.ts'
import type { LinkedReply } from '#shared/replies/replies.ts'
import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import {
  callApi,
  callTo,
  isSignedIn,
  memorialPageAt,
  postedForm,
  readFields,
  requireOwnForm,
  seeOther,
  toRefusal,
  withInvite,
  writeAgain,
  type FormRequest,
  type MemorialPage,
} from '#worker/pages/form-request.ts'
import { answeredScreen } from '#worker/pages/screen-page.ts'
import type { Env } from '#worker/platform/env.ts'
import { uuidOf } from '#worker/platform/random.ts'

const LINK = /^\/reply\/([\w.-]+)\/?$/u

/** A page of replies: those of this browser to a memorial, or the one of a mailed link. */
type ReplyPage = MemorialPage | { link: string }

function pageAt(request: Request): ReplyPage | null {
  const own = memorialPageAt(request, 'replies')
  const link = LINK.exec(new URL(request.url).pathname)?.[1]
  return own ?? (link === undefined ? null : { link })
}

/** The page of replies at this address; null for any other, and where the app's document says more. */
export async function repliesPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const page = pageAt(request)
  if (request.method !== 'GET' || !page) return null
  const form = { request, env, execution }
  if ('id' in page && (await isSignedIn(form))) return null
  return writePage(form, page, null, 200)
}

/** Null where this browser may not see the memorial, or too often asked for a link that isn't there. */
async function writePage(
  form: FormRequest,
  page: ReplyPage,
  posted: Awaited<ReturnType<typeof postedForm>> | null,
  status: number,
): Promise<Response | null> {
  const { request, env } = form
  if ('link' in page) {
    const call = callTo(api.replyByLink, { reply: page.link })
    const answer = await callApi(form, call)
    if (!answer.ok && answer.status !== 404) return null
    const linked = answer.ok ? await answer.json<LinkedReply>() : null
    return answeredScreen(request, env, 'Reply', { [call.path]: linked }, posted, status)
  }
  const { id, invite } = page
  const calls = [callTo(api.memorial, { id }), callTo(api.ownReplies, { id })].map(byInvite(invite))
  const answers = await Promise.all(calls.map((call) => callApi(form, call)))
  if (!answers.every(({ ok }) => ok)) return null
  const outputs = await Promise.all(answers.map((answer) => answer.json()))
  const known = Object.fromEntries(calls.map(({ path }, index) => [path, outputs[index]]))
  return answeredScreen(request, env, 'Replies', known, posted, status)
}

type Call = ReturnType<typeof callTo>

function byInvite(invite: string | null): (call: Call) => Call {
  return ({ method, path }) => ({ method, path: withInvite(path, invite) })
}

/** A form of a page of replies: its name, its call, and what to say when that is done. */
type ReplyForm = { name: string; send: () => Promise<Response>; done: (answer: Response) => Promise<Query> }
type Query = Record<string, string>

/**
 * Answers a form of replies that a browser sent itself: makes the API's call and leads to the page of replies, or shows it with the form and what is
 * wrong. Null for anything else.
 */
export async function answerReply(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const page = pageAt(request)
  if (request.method !== 'POST' || !page || !isUrlEncoded(request)) return null
  const attempt = { request, env, execution }
  let values: Record<string, string> = {}
  let name = ''
  try {
    requireOwnForm(request, env)
    values = Object.fromEntries(await readFields(request))
    const form = formOf(attempt, page, values)
    name = form.name
    const answer = await form.send()
    if (!answer.ok) return await refusedPage(attempt, page, name, values, answer)
    const query = new URLSearchParams(await form.done(answer))
    if ('invite' in page && page.invite !== null) query.set('invite', page.invite)
    const { pathname } = new URL(request.url)
    return seeOther(attempt, `${pathname}?${query.toString()}`, answer.headers.getSetCookie())
  } catch (error) {
    return refusedPage(attempt, page, name, values, toRefusal(error))
  }
}

function formOf(attempt: FormRequest, page: ReplyPage, values: Record<string, string>): ReplyForm {
  const { withdraw, change, event = '' } = values
  const own = (id: string) => ({ reply: 'link' in page ? page.link : id })
  const body = JSON.stringify(toInput(values))
  if (withdraw !== undefined)
    return {
      name: withdrawForm(withdraw),
      send: () => callApi(attempt, callTo(api.withdrawReply, own(withdraw))),
      done: () => Promise.resolve({ [REPLY_DONE]: 'withdrawn' }),
    }
  if (change !== undefined || 'link' in page)
    return {
      name: changeForm(change ?? ''),
      send: () => callApi(attempt, { ...callTo(api.changeReply, own(change ?? '')), body }),
      done: () => Promise.resolve({ [REPLY_DONE]: 'changed' }),
    }
  const { id, invite } = page
  const call = byInvite(invite)(callTo(api.sendReply, { id, eventId: event }))
  // The page is the same for everybody, so only what is in the form tells that it is sent twice.
  const send = (salt: string) =>
    callApi(attempt, {
      ...call,
      body,
      headers: { 'Idempotency-Key': uuidOf(`${id} ${event} ${body}${salt}`) },
    })
  return {
    name: replyForm(event),
    async send() {
      const answer = await send('')
      // The same reply was sent before, and withdrawn since.
      return answer.status === 404 ? send(crypto.randomUUID()) : answer
    },
    async done(answer) {
      const { reply, isMailed, isInGuestbook } = await answer.json<OutputOf<typeof api.sendReply>>()
      return {
        [REPLY_DONE]: 'sent',
        [REPLY_OF]: reply.id,
        ...(isMailed && { [REPLY_MAILED]: '1' }),
        ...(values['inGuestbook'] && values['words'] && { [REPLY_WORDS_SHOWN]: isInGuestbook ? '1' : '0' }),
      }
    },
  }
}

function toInput({
  answer,
  people = '',
  name = '',
  words = '',
  email = '',
  inGuestbook,
}: Record<string, string>) {
  return {
    answer,
    // Hidden for whoever stays away.
    people: answer === 'COMING' ? Number(people) : 1,
    name,
    words,
    email,
    inGuestbook: inGuestbook === '1',
  }
}

/** The page with the form as it was sent. Where there is no page by now, the reason and the words as text. */
async function refusedPage(
  attempt: FormRequest,
  page: ReplyPage,
  name: string,
  values: Record<string, string>,
  refusal: Response,
): Promise<Response> {
  const posted = await postedForm(name, values, refusal)
  const said = { problem: posted.problem.text, words: values['words'] }
  return writeAgain(attempt, refusal, said, (form) => writePage(form, page, posted, refusal.status))
}

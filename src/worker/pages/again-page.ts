import { api } from '#shared/api.ts'
import { fieldError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { messages } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { ADDRESS_FORM, AGAIN_DONE, ASK_FORM, CODE_FORM, type AgainDone } from '#shared/pages/plain-forms.ts'
import type { Recovered } from '#shared/invites/recovery.ts'
import { decideWhoOpens, readAsker } from '#worker/features/views/who-opens.ts'
import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import {
  callApi,
  callTo,
  ctxOf,
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

type Posted = Awaited<ReturnType<typeof postedForm>>

/** The page on which a relative is known again; null for any other, and where the app's document says more. */
export async function againPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const address = memorialPageAt(request, 'again')
  if (request.method !== 'GET' || !address) return null
  const form = { request, env, execution }
  return (await isSignedIn(form)) ? null : writePage(form, address, null, 200)
}

/** Null where this browser may not see the memorial. */
async function writePage(
  form: FormRequest,
  { id, invite }: MemorialPage,
  posted: Posted | null,
  status: number,
): Promise<Response | null> {
  const view = withInvite(fillPath(api.memorial.path, { id }), invite)
  const session = callTo(api.contributorSession, { id })
  const [shown, own] = await Promise.all([
    callApi(form, { method: 'GET', path: view }),
    callApi(form, session),
  ])
  if (!shown.ok || own.status >= 500) return null
  const answers = { [view]: await shown.json(), [session.path]: own.ok ? await own.json() : null }
  return answeredScreen(form.request, form.env, 'Again', answers, posted, status)
}

/**
 * Answers a form of that page, with script or without: makes the API's call and leads on, or shows the page with the form and what is wrong. Null for
 * anything else.
 */
export async function answerAgain(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const address = memorialPageAt(request, 'again')
  if (request.method !== 'POST' || !address || !isUrlEncoded(request)) return null
  const attempt = { request, env, execution }
  let name = ''
  let values: Record<string, string> = {}
  try {
    requireOwnForm(request, env)
    const { form = '', ...fields } = Object.fromEntries(await readFields(request))
    name = form
    values = fields
    const answer = await send(attempt, address, name, values)
    if (!answer.ok)
      return await shownAgain(attempt, address, await postedForm(name, values, answer.clone()), answer)
    if (name === ADDRESS_FORM && fields['no'] !== undefined)
      return seeOther(attempt, pathWith(paths.memorial, address), [])
    const found = name === CODE_FORM ? await answer.json<Recovered>() : null
    if (found && 'people' in found) return await choose(attempt, address, values, found)
    const next = pathWith(paths.again, address, doneBy(name, values))
    return seeOther(attempt, next, answer.headers.getSetCookie())
  } catch (error) {
    const refusal = toRefusal(error)
    return shownAgain(attempt, address, await postedForm(name, values, refusal.clone()), refusal)
  }
}

function doneBy(name: string, { forget }: Record<string, string>): AgainDone {
  if (name === ADDRESS_FORM) return forget === undefined ? 'kept' : 'gone'
  return name === ASK_FORM ? 'asked' : 'known'
}

function pathWith(path: string, { id, invite }: MemorialPage, done?: AgainDone): string {
  // Whoever is known again goes on by their session.
  const query = new URLSearchParams({
    ...(done && { [AGAIN_DONE]: done }),
    ...(invite !== null && done !== 'known' && { invite }),
  })
  return `${fillPath(path, { id })}${query.size === 0 ? '' : `?${query.toString()}`}`
}

async function send(
  form: FormRequest,
  address: MemorialPage,
  name: string,
  { email = '', code = '', contributorId, no, forget }: Record<string, string>,
): Promise<Response> {
  if (name === ADDRESS_FORM) {
    const isNone = no !== undefined || forget !== undefined
    if (!isNone && email === '') throw fieldError('bad_input', 'email', messages.contact.emailInvalid)
    return callApi(form, {
      ...callTo(api.keepAddress, { id: address.id }),
      body: JSON.stringify({ email: isNone ? '' : email }),
    })
  }
  const token = await invitationOf(form, address)
  if (name === ASK_FORM)
    return callApi(form, { ...callTo(api.askForCode, { token }), body: JSON.stringify({ email }) })
  const body = JSON.stringify({ code, ...(contributorId !== undefined && { contributorId }) })
  return callApi(form, { ...callTo(api.useCode, { token }), body })
}

/** The invitation by which this browser may see the memorial: of its session, or in the address. The API checks that it works. */
async function invitationOf(form: FormRequest, { id, invite }: MemorialPage): Promise<string> {
  const ctx = ctxOf(form)
  const address = { id, inviteToken: invite }
  const asker = await readAsker(ctx, form.request, address)
  const access = (await decideWhoOpens(ctx, form.request, address, asker))?.access
  return access?.contributor?.inviteToken ?? (access?.isInvited ? invite : null) ?? 'none'
}

/** The page with the names of those who left the address. The code goes on with the choice. */
async function choose(
  form: FormRequest,
  address: MemorialPage,
  { code = '' }: Record<string, string>,
  { people }: { people: unknown },
): Promise<Response> {
  const posted: Posted = {
    name: CODE_FORM,
    values: { code, people: JSON.stringify(people) },
    code: 'conflict',
    problem: { text: '', fields: {} },
  }
  return shownAgain(form, address, posted, new Response(null))
}

/** The page with the form as it was sent; where there is no page by now, the reason as text. */
async function shownAgain(
  attempt: FormRequest,
  address: MemorialPage,
  posted: Posted,
  refusal: Response,
): Promise<Response> {
  const { status } = refusal
  return writeAgain(attempt, refusal, { problem: posted.problem.text }, (form) =>
    writePage(form, address, posted, status),
  )
}

import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { FOLLOW_DONE, FOLLOW_FORM } from '#shared/pages/plain-forms.ts'
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

type Posted = Awaited<ReturnType<typeof postedForm>>

/** The page on which somebody asks for mails about a memorial; null for any other, and where the app's document says more. */
export async function followPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const address = memorialPageAt(request, 'follow')
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
  const shown = await callApi(form, { method: 'GET', path: view })
  if (!shown.ok) return null
  const answers = { [view]: await shown.json() }
  return answeredScreen(form.request, form.env, 'Follow', answers, posted, status)
}

/** Answers the form of that page, with script or without: makes the API's call and leads on, or shows the form and what is wrong. Null for anything else. */
export async function answerFollow(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const address = memorialPageAt(request, 'follow')
  if (request.method !== 'POST' || !address || !isUrlEncoded(request)) return null
  const attempt = { request, env, execution }
  let values: Record<string, string> = {}
  try {
    requireOwnForm(request, env)
    values = Object.fromEntries(await readFields(request))
    const { email = '', news, birthday, passing } = values
    const wishes = { news: news === 'on', birthday: birthday === 'on', passing: passing === 'on' }
    const { id, invite } = address
    const call = callTo(api.follow, { id })
    const body = JSON.stringify({ email, ...wishes })
    const answer = await callApi(attempt, { ...call, path: withInvite(call.path, invite), body })
    if (!answer.ok) return await shownAgain(attempt, address, values, answer)
    const query = new URLSearchParams({ ...(invite !== null && { invite }), [FOLLOW_DONE]: 'asked' })
    return seeOther(attempt, `${fillPath(paths.follow, { id })}?${query.toString()}`, [])
  } catch (error) {
    return shownAgain(attempt, address, values, toRefusal(error))
  }
}

/** The page with the form as it was sent; where there is no page by now, the reason as text. */
async function shownAgain(
  attempt: FormRequest,
  address: MemorialPage,
  values: Record<string, string>,
  refusal: Response,
): Promise<Response> {
  const posted = await postedForm(FOLLOW_FORM, values, refusal.clone())
  return writeAgain(attempt, refusal, { problem: posted.problem.text }, (form) =>
    writePage(form, address, posted, refusal.status),
  )
}

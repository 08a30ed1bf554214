import { api } from '#shared/api.ts'
import { AppError, fieldError, type ErrorBody } from '#shared/errors.ts'
import { COMMENT_BODY, DISPLAY_NAME } from '#shared/fields.ts'
import { fillPath } from '#shared/fill-path.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import { MEDIA_TYPES } from '#shared/media/media-types.ts'
import { messages, onlySoManyFiles, type Added } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import {
  FILES_FORM,
  FILES_MAX,
  sayAdded,
  WORDS_FORM,
  type ContributionForm,
} from '#shared/pages/plain-forms.ts'
import { problemOf } from '#shared/text-rules.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { FALLBACK_NAME } from '#worker/features/media/receive-file.ts'
import { decideWhoOpens, readAsker } from '#worker/features/views/who-opens.ts'
import { addCookies } from '#worker/http/cookies.ts'
import { isUrlEncoded } from '#worker/http/url-encoded.ts'
import {
  callApi,
  callTo,
  ctxOf,
  postedForm,
  readFields,
  refusalAsText,
  requireOwnForm,
  seeOther,
  showAgain,
  toRefusal,
  type FormRequest,
} from '#worker/pages/form-request.ts'
import { addressIn, writePersonalPage } from '#worker/pages/personal-page.ts'
import type { Env } from '#worker/platform/env.ts'
import { cleanFileName } from '#worker/platform/file-names.ts'
import { formWithFile, readMultipartFiles, type MultipartFile } from '#worker/platform/multipart.ts'
import { uuidOf } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const MULTIPART = /^multipart\/form-data\s*;/iu
/** Parts for files in one form, also those where nothing was chosen. */
const PARTS_MAX = 200
/** As much as Cloudflare takes in one request. */
const FORM_MAX_BYTES = 100 * 1024 * 1024

/** A form on a memorial's page that somebody sends without script. */
type Contribution = FormRequest & {
  form: ContributionForm
  /** The text fields, to show them again if the form is refused. */
  values: Record<string, string>
  /** What the API has taken so far. */
  added: Added[]
  /** `Set-Cookie` of a session made on the way. */
  cookies: string[]
}
/** `naming`: the invitation under which they have to give a name first, or null. */
type Sender = { memorialId: string; naming: string | null }

/** A call of the API that was refused, to be thrown. */
class Refused extends Error {
  readonly answer: Response
  constructor(answer: Response) {
    super('the API refused a call')
    this.answer = answer
  }
}

/**
 * Answers what somebody adds to a memorial from its page without script: makes the API's calls and leads back to the page, or
 * shows the page again with their words and what is wrong. Null for anything else. Files go on as they arrive.
 */
export async function answerContribution(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  if (request.method !== 'POST' || !addressIn(new URL(request.url))) return null
  const form = formOf(request)
  if (form === null) return null
  const contribution: Contribution = { request, env, execution, form, values: {}, added: [], cookies: [] }
  try {
    // First: what another site sends isn't shown either.
    requireOwnForm(request, env)
    const { memorialId, naming } = await (form === WORDS_FORM
      ? postWords(contribution)
      : sendFiles(contribution))
    const query = new URLSearchParams()
    // A browser that takes no cookies goes on by the link.
    if (naming !== null) query.set('invite', naming)
    sayAdded(query, contribution.added)
    const page = fillPath(paths.memorial, { id: memorialId })
    return seeOther(contribution, `${page}?${query.toString()}#${form}`, contribution.cookies)
  } catch (error) {
    return refusedPage(contribution, error instanceof Refused ? error.answer : toRefusal(error))
  }
}

function formOf(request: Request): ContributionForm | null {
  if (isUrlEncoded(request)) return WORDS_FORM
  return MULTIPART.test(request.headers.get('Content-Type') ?? '') ? FILES_FORM : null
}

async function postWords(contribution: Contribution): Promise<Sender> {
  const fields = await readFields(contribution.request)
  const [name = '', message = '', page = ''] = ['name', 'message', 'page'].map((one) => fields.get(one) ?? '')
  contribution.values = { name, message, page }
  const sender = await requireSender(contribution)
  const problem = problemOf(COMMENT_BODY, message)
  const nameProblem = problemOfName(sender, name)
  if (problem !== null || nameProblem !== null)
    throw new AppError('bad_input', messages.form.checkFields, {
      fields: {
        ...(problem !== null && { body: problem }),
        ...(nameProblem !== null && { name: nameProblem }),
      },
    })
  await giveName(contribution, sender, name)
  const body = COMMENT_BODY.clean(message)
  await requireCall(contribution, {
    ...callTo(api.postComment, { id: sender.memorialId }),
    body: JSON.stringify({ body }),
    headers: repeatKey(contribution, body),
  })
  contribution.added.push('message')
  return sender
}

async function sendFiles(contribution: Contribution): Promise<Sender> {
  const { request, values, added } = contribution
  const length = request.headers.get('Content-Length') ?? ''
  if (Number(length) > FORM_MAX_BYTES) throw new AppError('too_large', serverMessages.media.tooMuchAtOnce)
  const problems: string[] = []
  let sender: Sender | null = null
  let count = 0
  const keep = (fields: ReadonlyMap<string, string>) => {
    for (const name of ['name', 'page']) values[name] = fields.get(name) ?? ''
  }
  const send = async ({ name: type, ...file }: MultipartFile): Promise<void> => {
    // A field in which nothing was chosen.
    if (file.fileName === '') return
    count += 1
    keep(file.fields)
    sender ??= await requireNamedSender(contribution, values['name'] ?? '')
    const kind = MEDIA_TYPES.find((one) => one === type) ?? 'IMAGE'
    const fileName = cleanFileName(file.fileName, FALLBACK_NAME[kind])
    if (count > FILES_MAX) {
      problems.push(`${fileName}: ${onlySoManyFiles(FILES_MAX)}`)
      return
    }
    const { body, contentType } = formWithFile({ type: kind }, file)
    const key = repeatKey(contribution, `${count} ${type} ${file.fileName} ${length}`)
    const headers = { ...key, 'Content-Type': contentType }
    const answer = await callAs(contribution, {
      ...callTo(api.uploadMedia, { id: sender.memorialId }),
      body,
      headers,
    })
    if (answer.ok) added.push(kind)
    else problems.push(`${fileName}: ${(await answer.json<ErrorBody>()).message}`)
  }
  try {
    const parts = { names: MEDIA_TYPES, maxFiles: PARTS_MAX, maxBytes: FORM_MAX_BYTES, onFile: send }
    keep((await readMultipartFiles(request, parts)).fields)
  } catch (error) {
    if (sender === null) throw error
    // Files before the break have arrived.
    problems.push(serverMessages.media.restMissing)
  }
  if (problems.length > 0) throw new AppError('bad_input', problems.join('\n'))
  if (sender === null) throw fieldError('bad_input', 'file', serverMessages.media.fileMissing)
  return sender
}

/** Who sends the form, if they may add to the memorial at its address. Throws what the API would. */
async function requireSender(form: Contribution): Promise<Sender> {
  const { request } = form
  const ctx = ctxOf(form)
  const address = addressIn(new URL(request.url))
  const opener =
    address && (await decideWhoOpens(ctx, request, address, await readAsker(ctx, request, address)))
  if (!opener) throw new AppError('not_found', messages.memorial.notFound)
  const { access } = opener
  const refusal = access.refuse('contribute')
  const needsName = refusal?.code === 'name_required'
  if (!needsName) throwIfRefused(refusal)
  const naming = needsName ? (access.contributor?.inviteToken ?? address.inviteToken) : null
  return { memorialId: access.memorial.id, naming }
}

async function requireNamedSender(contribution: Contribution, name: string): Promise<Sender> {
  const sender = await requireSender(contribution)
  const problem = problemOfName(sender, name)
  if (problem !== null) throw fieldError('bad_input', 'name', problem)
  await giveName(contribution, sender, name)
  return sender
}

/** As in the app's dialog: the guest's name would make a guest's session again. */
function problemOfName({ naming }: Sender, name: string): string | null {
  if (naming === null) return null
  const isGuest = DISPLAY_NAME.clean(name) === GUEST_NAME
  return problemOf(DISPLAY_NAME, name) ?? (isGuest ? messages.contributor.nameRequired : null)
}

/** Makes a session with this name if the sender needs one. */
async function giveName(contribution: Contribution, { naming }: Sender, name: string): Promise<void> {
  if (naming === null) return
  await requireCall(contribution, {
    ...callTo(api.createContributorSession, { token: naming }),
    body: JSON.stringify({ displayName: DISPLAY_NAME.clean(name), email: '' }),
  })
}

type Call = Parameters<typeof callApi>[1]

/** A call of the API with the session that this form has made. */
async function callAs(contribution: Contribution, call: Call): Promise<Response> {
  const { request, cookies } = contribution
  const cookie = addCookies(request.headers.get('Cookie'), cookies)
  const headers = { ...call.headers, ...(cookie && { Cookie: cookie }) }
  const answer = await callApi(contribution, { ...call, headers })
  cookies.push(...answer.headers.getSetCookie())
  return answer
}

async function requireCall(contribution: Contribution, call: Call): Promise<void> {
  const answer = await callAs(contribution, call)
  if (!answer.ok) throw new Refused(answer)
}

/** The header by which the API knows what a page sends twice: the page names itself in its forms. */
function repeatKey({ values: { page } }: Contribution, content: string): Record<string, string> {
  return page ? { 'Idempotency-Key': uuidOf(`${page} ${content}`) } : {}
}

/** Shows the page again, with the reason and the user's text. If the page has no form any more, returns both as plain text. */
async function refusedPage(contribution: Contribution, refusal: Response): Promise<Response> {
  const { request, env, execution, form, values, added, cookies } = contribution
  const posted = await postedForm(form, values, refusal)
  const { body: ofMessage, displayName, name = displayName, ...others } = posted.problem.fields
  // By the names of the form's fields.
  posted.problem.fields = { ...others, ...(name && { name }), ...(ofMessage && { message: ofMessage }) }
  const headers = new Headers(request.headers)
  const cookie = addCookies(headers.get('Cookie'), cookies)
  if (cookie) headers.set('Cookie', cookie)
  const again = new Request(request.url, { headers })
  const answered = { posted, added, status: refusal.status }
  const written = await writePersonalPage(again, env, execution, answered)
  const page = written ?? refusalAsText(contribution, posted.problem.text, values['message'], refusal.status)
  return showAgain(page, contribution, refusal, cookies)
}

import { VISITOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import { readCookies, readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'

const COOKIE = /^(?:__Host-)?replies-(mem_[a-z0-9]+)$/u

function cookieFor(memorialId: string): string {
  return `replies-${memorialId}`
}

/** The token by which this browser sees and changes the replies that it sent to a memorial's gatherings, or null. */
export function readReplyToken(request: Request, memorialId: string): string | null {
  return readOwnCookie(request, readCookies(request), cookieFor(memorialId)) || null
}

export function setReplyCookie(headers: Headers, request: Request, memorialId: string, token: string): void {
  setOwnCookie(headers, request, cookieFor(memorialId), token, VISITOR_SESSION_EXPIRES_MS / 1000)
}

/** At sign-out, for shared phones. The replies stay; a mailed link still changes them. */
export function endReplyCookies(headers: Headers, request: Request): void {
  for (const id of Object.keys(readCookies(request)).flatMap((name) => COOKIE.exec(name)?.[1] ?? []))
    setOwnCookie(headers, request, cookieFor(id), '', 0)
}

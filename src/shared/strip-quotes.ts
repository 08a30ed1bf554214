import { CLIENT_ERROR_MAX } from './limits.ts'

/** Text that may be personal: anything quoted, an email or web address, a path, a long word or number. */
const PERSONAL = /"[^"]*"?|'[^']*'?|“[^”]*”?|\S*[@/\\]\S*|[\w-]{25,}|\d{3,}/gu

/** An error message without what it may quote, as one short line. */
export function stripQuotes(message: string): string {
  return message
    .replaceAll(PERSONAL, '…')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, CLIENT_ERROR_MAX.message)
}

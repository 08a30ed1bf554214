import { escapeHtml, escapeLines } from '#worker/platform/escape.ts'

/** `20 November 2026, 08:00 UTC`. */
export function dateTime(at: number): string {
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(at)
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return `${date}, ${time} UTC`
}

/** `$60.00` for US dollars, otherwise the currency code before the number. */
export function money(amount: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(
    amount / 100,
  )
}

/** The content of a mail before layout. Everything is plain text; {@link renderMail} escapes it. */
type MailTemplate = {
  subject: string
  /** Default: the subject. */
  heading?: string
  paragraphs: string[]
  /** One button, with its plain URL below it. */
  button?: { label: string; url: string }
  /** Small print after the button. */
  notes?: string[]
}
export type RenderedMail = { subject: string; text: string; html: string }

const BRAND = 'Keeping Legacies Alive'

/** Renders a mail in the one layout that all share: text first, one column, no images, readable in light and dark mode. */
export function renderMail(template: MailTemplate): RenderedMail {
  return { subject: template.subject, text: asText(template), html: asHtml(template) }
}

function asText({ subject, heading = subject, paragraphs, button, notes = [] }: MailTemplate): string {
  return [
    heading,
    ...paragraphs,
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...notes,
    `-- \n${BRAND}`,
  ].join('\n\n')
}

/** Declares both schemes, because mail clients otherwise invert colours themselves; inline colours are the fallback. */
const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){body,.page{background:#171512!important}.ink{color:#f1ece4!important}.muted{color:#b7aea1!important}.button{background:#e9a27f!important;color:#2a120a!important}a.link{color:#e9a27f!important}}`
const SANS = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif"
const SERIF = "font-family:'Iowan Old Style','Palatino Linotype','Noto Serif',Georgia,serif"

function asHtml({ subject, heading = subject, paragraphs, button, notes = [] }: MailTemplate): string {
  const body = [
    `<p class="muted" style="margin:0 0 32px;${SERIF};font-size:16px;color:#5c564d">${BRAND}</p>`,
    `<h1 class="ink" style="margin:0 0 16px;${SERIF};font-size:26px;line-height:1.25;font-weight:600;color:#22201c">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map(
      (text) =>
        `<p class="ink" style="margin:0 0 16px;font-size:17px;line-height:1.55;color:#22201c">${escapeLines(text).replaceAll('\n', '<br>')}</p>`,
    ),
    ...(button ? [buttonHtml(button)] : []),
    ...notes.map(
      (text) =>
        `<p class="muted" style="margin:0 0 12px;font-size:15px;line-height:1.5;color:#5c564d">${escapeLines(text).replaceAll('\n', '<br>')}</p>`,
    ),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body style="margin:0;padding:0;background:#fbf9f5">
<div class="page" style="max-width:34rem;margin:0 auto;padding:32px 20px;background:#fbf9f5;${SANS}">
${body.join('\n')}
</div>
</body>
</html>
`
}

function buttonHtml({ label, url }: { label: string; url: string }): string {
  const href = escapeHtml(url)
  return `<p style="margin:24px 0 12px"><a class="button" href="${href}" style="display:inline-block;padding:14px 24px;border-radius:6px;background:#8a3b24;color:#ffffff;font-size:17px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
<p class="muted" style="margin:0 0 24px;font-size:15px;line-height:1.5;color:#5c564d;word-break:break-all"><a class="link" href="${href}" style="color:#8a3b24">${href}</a></p>`
}

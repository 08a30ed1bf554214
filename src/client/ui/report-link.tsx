import { lazy } from 'react'
import { links } from '#client/lib/links.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { ButtonAnchor } from './button.tsx'

/** Loaded with the first report: most people never make one. */
export const ReportDialog = lazy(async () => ({
  default: (await import('./report-dialog.tsx')).ReportDialog,
}))

/**
 * "Report", which opens the {@link ReportDialog}. A link, so that without script it leads to a page with the same form; `data-open` makes the
 * small script of a written page load the app. `of` completes its name for screen readers, once the app is there: in every message it
 * would cost the page bytes.
 */
export function ReportLink({
  id,
  of,
  className,
  onReport,
}: {
  /** Of the message or media item. */
  id: string
  of: string
  className?: string | undefined
  onReport: () => void
}) {
  const isHydrated = useHydrated()
  return (
    <ButtonAnchor
      variant="quiet"
      className={className}
      href={links.report(id)}
      data-open=""
      aria-label={isHydrated ? `Report: ${of}` : undefined}
      onClick={(event) => {
        event.preventDefault()
        onReport()
      }}
    >
      Report
    </ButtonAnchor>
  )
}

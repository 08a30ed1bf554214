import { useId, useRef, Component, type KeyboardEvent, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import { reportError } from '#client/lib/report-error.ts'
import { Button } from '#client/ui/button.tsx'
import shared from '../../ui/tabs.module.css'
import styles from './console.module.css'

/** Admin console tabs: arrow keys, Home and End move the focus, Enter or Space activates (WAI-ARIA, manual activation). */
export function AdminTabs({
  open,
  onOpen,
  children,
}: {
  open: Tab
  onOpen: (tab: Tab) => void
  children: ReactNode
}) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  function move(event: KeyboardEvent, index: number) {
    const to = targetOf(event.key, index)
    if (to === null) return
    event.preventDefault()
    const tab = list.current?.children[to]
    if (tab instanceof HTMLElement) tab.focus()
  }

  return (
    <>
      <div ref={list} className={styles.tabs} role="tablist" aria-label="Admin Console">
        {TABS.map((tab, index) => (
          <button
            key={tab.key}
            id={`${id}-${tab.key}`}
            type="button"
            role="tab"
            className={`${shared.tab} ${styles.tab}`}
            aria-selected={tab === open}
            aria-controls={tab === open ? `${id}-panel` : undefined}
            tabIndex={tab === open ? 0 : -1}
            onClick={() => onOpen(tab)}
            onKeyDown={(event) => move(event, index)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" className={styles.panel} aria-labelledby={`${id}-${open.key}`}>
        {children}
      </div>
    </>
  )
}

function targetOf(key: string, index: number): number | null {
  if (key === 'ArrowRight') return (index + 1) % TABS.length
  if (key === 'ArrowLeft') return (index + TABS.length - 1) % TABS.length
  if (key === 'Home') return 0
  if (key === 'End') return TABS.length - 1
  return null
}

/** The five tabs: `key` in the URL, and the exact name on screen. */
const TABS = [
  { key: 'overview', label: 'Overview' },
  { key: 'memorials', label: 'Memorials' },
  { key: 'payments', label: 'Payments' },
  { key: 'invite-tokens', label: 'Invite Tokens' },
  { key: 'system', label: 'System' },
] as const
export type Tab = (typeof TABS)[number]

/** The tab named in the URL; the first tab if there is none or it is unknown. */
export function tabOf(search: URLSearchParams): Tab {
  return TABS.find(({ key }) => key === search.get('tab')) ?? TABS[0]
}

/** Why the console is closed. */
export type Refusal = 401 | 403 | 'second-factor'
type Props = { onRefused: (refusal: Refusal) => void; children: ReactNode }

/** Error boundary of a tab: shows that its data failed to load, and closes the console on 401 and 403. */
export class TabBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
    if (!(error instanceof ApiError)) return
    if (error.code === 'second_factor_needed') this.props.onRefused('second-factor')
    else if (error.status === 401 || error.status === 403) this.props.onRefused(error.status)
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div role="alert">
        <h2>{messages.admin.failedTitle}</h2>
        <p>{messages.admin.failedText}</p>
        <Button variant="primary" onClick={() => window.location.reload()}>
          Try Again
        </Button>
      </div>
    )
  }
}

import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import styles from './admin-tabs.module.css'
import { TABS, type Tab } from './tabs.ts'

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
            className={styles.tab}
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

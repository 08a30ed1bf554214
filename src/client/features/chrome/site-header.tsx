import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { Link, NavLink } from 'react-router-dom'
import type { User } from '#shared/accounts/accounts.ts'
import { links } from '#client/lib/links.ts'
import { useWithoutScript } from '#client/lib/server-rendering.ts'
import { greetingName } from '#client/lib/session.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './site-header.module.css'

type Props = { user: User | null; onLogout: () => void }

/** The site's name and the navigation; on phones behind a "Menu" button. */
export function SiteHeader({ user, onLogout }: Props) {
  const [isOpen, setOpen] = useState(false)
  const panelId = useId()
  const toggle = useRef<HTMLButtonElement>(null)
  const isWithoutScript = useWithoutScript()
  // The user may have opened the menu before hydration.
  useEffect(() => {
    if (toggle.current?.getAttribute('aria-expanded') === 'true') setOpen(true)
  }, [])
  // The focused element disappears with the panel: the button takes the focus, until the next screen does.
  const close = useCallback(() => {
    toggle.current?.focus()
    setOpen(false)
  }, [])
  useEffect(() => {
    if (!isOpen) return undefined
    const closeOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [isOpen, close])
  return (
    <header className={styles.header}>
      <div className={styles.bar}>
        <Link className={styles.brand} to={links.home} onClick={close}>
          Keeping Legacies Alive
        </Link>
        <nav className={styles.inline} aria-label="Main">
          <NavList user={user} onLogout={onLogout} onGo={close} className={styles.list} />
        </nav>
        <Button
          ref={toggle}
          variant="quiet"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={panelId}
          hidden={isWithoutScript}
          data-toggle
          onClick={() => setOpen(!isOpen)}
        >
          <span className={styles.closed}>Menu</span>
          <span className={styles.opened}>Close menu</span>
        </Button>
      </div>
      <nav id={panelId} className={styles.panel} aria-label="Menu" hidden={!isOpen && !isWithoutScript}>
        <NavList
          user={user}
          onLogout={onLogout}
          onGo={close}
          className={`${styles.list} ${styles.open} ${isWithoutScript ? styles.row : ''}`}
        />
      </nav>
    </header>
  )
}

function NavList({
  user,
  onLogout,
  onGo,
  className,
}: Props & { onGo: () => void; className: string | undefined }) {
  const screens = [
    { to: links.home, label: 'Home' },
    ...(user ? [{ to: links.dashboard, label: 'Dashboard' }] : []),
    { to: links.contact, label: 'Support' },
    ...(user ? [] : [{ to: links.login, label: 'Login' }]),
  ]
  return (
    <ul className={className}>
      {screens.map(({ to, label }) => (
        <li key={to}>
          <NavLink to={to} end={to === links.home} onClick={onGo}>
            {label}
          </NavLink>
        </li>
      ))}
      {user && (
        <>
          <li className={styles.name}>{greetingName(user)}</li>
          <li>
            <Button
              variant="quiet"
              onClick={() => {
                onGo()
                onLogout()
              }}
            >
              Logout
            </Button>
          </li>
        </>
      )}
    </ul>
  )
}

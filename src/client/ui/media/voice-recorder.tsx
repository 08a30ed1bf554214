import { useEffect, useRef, useState } from 'react'
import { VOICE_MAX_SEC } from '#shared/limits.ts'
import { formatBytes } from '#shared/messages.ts'
import { formatClock } from '#client/lib/dates.ts'
import { useVoiceRecorder } from '#client/lib/recording/use-voice-recorder.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import type { FileProblem } from '#client/lib/upload/file-rules.ts'
import { useMediaQuery } from '#client/lib/browser/window-hooks.ts'
import { Button } from '../button.tsx'
import { Dialog, DialogActions } from '../dialog.tsx'
import { Notice } from '../notice.tsx'
import styles from './voice-recorder.module.css'

type Recorder = ReturnType<typeof useVoiceRecorder>

/** A button that opens the recorder. `maxSec`: the user's limit, or null. `refusal`: why nothing can be added. */
export function RecordAudioButton({
  id,
  maxSec,
  describedBy,
  refusal = null,
  onFile,
}: {
  id?: string
  maxSec: number | null
  describedBy?: string | undefined
  refusal?: FileProblem | null
  onFile: (file: File) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const open = () => (refusal ? showErrorToast(refusal.title, refusal.text) : setOpen(true))
  return (
    <>
      {/* Not disabled: pressing it says why. */}
      <Button id={id} data-refused={refusal ? true : undefined} aria-describedby={describedBy} onClick={open}>
        Record your voice
      </Button>
      {isOpen && (
        <VoiceRecorder
          maxSec={maxSec ?? VOICE_MAX_SEC}
          onClose={() => setOpen(false)}
          onFile={(file) => {
            setOpen(false)
            onFile(file)
          }}
        />
      )}
    </>
  )
}

/** Record, pause, listen, record again, use it. Closing asks for confirmation. */
function VoiceRecorder({
  maxSec,
  onFile,
  onClose,
}: {
  maxSec: number
  onFile: (file: File) => void
  onClose: () => void
}) {
  const recorder = useVoiceRecorder(maxSec)
  const [isLeaving, setLeaving] = useState(false)
  const { phase, file } = recorder
  const leave = () => (recorder.hasUnsavedRecording ? setLeaving(true) : onClose())
  return (
    <Dialog title={isLeaving ? 'Leave without this recording?' : 'Record your voice'} onClose={leave}>
      {isLeaving && (
        <>
          <p>It has not been added yet, and cannot be brought back.</p>
          <DialogActions>
            {/* eslint-disable-next-line jsx-a11y/no-autofocus -- in a dialog the safe button is where the focus belongs */}
            <Button autoFocus onClick={() => setLeaving(false)}>
              Keep it
            </Button>
            <Button variant="danger" onClick={onClose}>
              Leave without it
            </Button>
          </DialogActions>
        </>
      )}
      <div hidden={isLeaving}>
        {(phase === 'idle' || phase === 'asking') && (
          <StartView recorder={recorder} maxSec={maxSec} onClose={onClose} />
        )}
        {(phase === 'recording' || phase === 'paused') && (
          <RecordingView recorder={recorder} maxSec={maxSec} />
        )}
        {phase === 'finishing' && <p role="status">Preparing your recording…</p>}
        {phase === 'done' && file && (
          <PlaybackView recorder={recorder} file={file} onUse={() => onFile(file)} />
        )}
      </div>
    </Dialog>
  )
}

function StartView({
  recorder,
  maxSec,
  onClose,
}: {
  recorder: Recorder
  maxSec: number
  onClose: () => void
}) {
  const isAsking = recorder.phase === 'asking'
  return (
    <>
      <p>
        Tell a story, say a prayer, sing. It can last up to {Math.round(maxSec / 60)} minutes, and you can
        listen to it before it is sent.
      </p>
      <p className={`small-muted ${styles.hint}`}>
        Your browser asks whether this page may use the microphone. It is used only while you record.
      </p>
      {recorder.problem && (
        <Notice kind="error" takesFocus>
          {recorder.problem}
        </Notice>
      )}
      <p role="status" className={`small-muted ${styles.hint}`}>
        {isAsking && 'Please allow the microphone.'}
      </p>
      <DialogActions>
        <Button onClick={onClose}>Not now</Button>
        <Button variant="primary" isBusy={isAsking} onClick={() => void recorder.start()}>
          {recorder.problem ? 'Try again' : 'Start recording'}
        </Button>
      </DialogActions>
    </>
  )
}

function RecordingView({ recorder, maxSec }: { recorder: Recorder; maxSec: number }) {
  const { phase, seconds } = recorder
  const isPaused = phase === 'paused'
  const left = Math.max(0, Math.ceil(maxSec - seconds))
  return (
    <>
      <p className={styles.time} role="timer">
        {formatClock(seconds)}
      </p>
      <p className={styles.left}>
        {isPaused ? 'Paused' : 'Recording'} · {formatClock(left)} left
      </p>
      <Level level={recorder.level} isPaused={isPaused} />
      <p className="visually-hidden" aria-live="polite">
        {isPaused ? 'Paused' : 'Recording'}
        {left <= 60 && '. Less than a minute is left'}
      </p>
      <DialogActions>
        <Button onClick={isPaused ? recorder.resume : recorder.pause}>
          {isPaused ? 'Continue' : 'Pause'}
        </Button>
        {/* eslint-disable-next-line jsx-a11y/no-autofocus -- what had the focus has gone */}
        <Button autoFocus variant="primary" onClick={() => void recorder.finish()}>
          Stop
        </Button>
      </DialogActions>
    </>
  )
}

function PlaybackView({ recorder, file, onUse }: { recorder: Recorder; file: File; onUse: () => void }) {
  const player = useRef<HTMLAudioElement>(null)
  useEffect(() => {
    const address = URL.createObjectURL(file)
    if (player.current) player.current.src = address
    return () => URL.revokeObjectURL(address)
  }, [file])
  return (
    <>
      <p>
        Listen before you send it ({formatClock(recorder.seconds)}, {formatBytes(file.size)}).
      </p>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- one's own voice, just recorded */}
      <audio ref={player} className={styles.player} controls aria-label="Your recording" />
      <DialogActions>
        <Button onClick={() => void recorder.start()}>Record again</Button>
        {/* eslint-disable-next-line jsx-a11y/no-autofocus -- what had the focus has gone */}
        <Button autoFocus variant="primary" onClick={onUse}>
          Use this recording
        </Button>
      </DialogActions>
    </>
  )
}

const SAMPLE_MS = 100
/** Below this level nobody is speaking. */
const QUIET = 0.25
/** Number of quiet samples before the recorder reports silence: 3 seconds. */
const QUIET_SAMPLES = 30

/** A level meter, unless the user prefers reduced motion, and a text that says whether we hear the user. */
function Level({ level, isPaused }: { level: () => number; isPaused: boolean }) {
  const bar = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const isStill = useMediaQuery('(prefers-reduced-motion: reduce)')
  useEffect(() => {
    if (isPaused) return undefined
    let quiet = 0
    const timer = setInterval(() => {
      const now = level()
      quiet = now < QUIET ? quiet + 1 : 0
      if (quiet === 0) setText('We can hear you.')
      if (quiet === QUIET_SAMPLES) setText('It is very quiet. Hold the phone closer to your mouth.')
      if (bar.current) bar.current.style.transform = `scaleX(${now.toFixed(2)})`
    }, SAMPLE_MS)
    return () => clearInterval(timer)
  }, [level, isPaused])
  return (
    <>
      {!isStill && (
        <div className={styles.level} aria-hidden="true">
          <div ref={bar} className={isPaused ? styles.silent : styles.bar} />
        </div>
      )}
      <p className={`small-muted ${styles.hint}`} role="status">
        {!isPaused && text}
      </p>
    </>
  )
}

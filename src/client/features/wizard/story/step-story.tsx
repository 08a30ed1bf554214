import { lazy, Suspense, useState } from 'react'
import { LIFE_STORY_TEXT_MAX } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { codePoints } from '#shared/code-points.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import type { SentUpload } from '#client/lib/upload/upload-queue.ts'
import { Button } from '#client/ui/button.tsx'
import { ConflictNotice, focusConflict, RestoredNotice } from '../conflict-notice.tsx'
import { MediaPicker } from '../media/media-picker.tsx'
import type { WizardUploads } from '../media/use-wizard-uploads.ts'
import { saveCover, EditedElsewhere, saveMemorial } from '../save-memorial.ts'
import { failStep, StepForm, type StepErrors } from '../step-form.tsx'
import { useDraft } from '../use-draft.ts'
import type { Wizard } from '../use-wizard.ts'
import { StoryField } from './story-field.tsx'
import { isStory, storyDraftOf, storyText, withoutOpenQuestions, type Story } from './story-text.ts'
import { useStoryMedia } from './use-story-media.ts'

/** Loaded once there is something to show. */
const SavedMedia = lazy(async () => ({ default: (await import('../media/saved-media.tsx')).SavedMedia }))

const SAVED_TITLE_ID = 'saved-media-title'

/** Step 4: the life story, then photos, videos and recordings. */
export function StepStory({ wizard, uploads }: { wizard: Wizard; uploads: WizardUploads }) {
  const memorial = wizard.view?.memorial ?? null
  const saved = storyDraftOf(memorial?.lifeStory)
  /** A draft with nothing but open questions ends when the story is changed elsewhere. */
  const isDraft = (values: unknown): values is Story =>
    isStory(values) && (values.base === saved.base || withoutOpenQuestions(values.html) !== values.base)
  const draft = useDraft({ userId: wizard.userId, memorialId: wizard.memorialId, step: 4 }, saved, isDraft)
  const { html, base } = draft.values
  const story = withoutOpenQuestions(html)
  const [newest, setNewest] = useState<Memorial | null>(base === saved.base ? null : memorial)
  const [version, setVersion] = useState(0)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const own = useStoryMedia(wizard)
  const text = storyText(story)

  const listed = own.media.filter(({ id }) => !uploads.items.some(({ media }) => media?.id === id))

  function show(shown: Story) {
    draft.clear(shown)
    setVersion(version + 1)
    setNewest(null)
  }

  /** Saves the story; false if somebody else changed it, in which case nothing is overwritten. */
  async function saveStory(known: Memorial): Promise<boolean> {
    if (story === base) return true
    try {
      const baseMemorial = { ...known, lifeStory: base === '' ? null : base }
      const next = await saveMemorial(baseMemorial, { lifeStory: story === '' ? null : story })
      const values = { html, base: next.lifeStory ?? '' }
      // Open questions stay on this device.
      if (story === html) draft.clear(values)
      else draft.change(values)
      wizard.changed((view) => ({ ...view, memorial: next }))
      showToast({ title: messages.memorial.storyUpdatedTitle })
      return true
    } catch (error) {
      if (!(error instanceof EditedElsewhere)) throw error
      setNewest(error.newest)
      return false
    }
  }

  /** Sets the chosen main photo as the cover; if there is only one photo, that one. */
  async function setCover(id: string, sent: readonly SentUpload[]) {
    const images = sent.filter(({ type }) => type === 'IMAGE')
    const isOnly = images.length === 1 && !memorial?.coverMediaId && countPhotos(own.media, null) === 0
    const main = images.find(({ isMain }) => isMain) ?? (isOnly ? images[0] : undefined)
    if (main) await saveCover(wizard, id, main.media.id)
  }

  async function sendFiles(id: string): Promise<boolean> {
    const { sent, failed } = await uploads.sendAll(id)
    await setCover(id, sent)
    if (sent.length > 0) showToast({ title: messages.media.uploadedTitle })
    if (failed > 0) showErrorToast(messages.media.uploadFailedTitle, messages.media.storyOrUploadFailed)
    return failed === 0
  }

  async function run(work: (id: string) => Promise<void>) {
    const id = wizard.requireMemorial()
    if (!id || isBusy) return
    setBusy(true)
    setErrors(null)
    try {
      await work(id)
    } catch (error) {
      setErrors(failStep(messages.media.uploadFailedTitle, error, messages.media.storyOrUploadFailed))
    } finally {
      setBusy(false)
    }
  }

  async function save() {
    if (codePoints(text) > LIFE_STORY_TEXT_MAX) {
      setErrors({ fields: { lifeStory: messages.memorial.storyTooLong } })
      return
    }
    await run(async (id) => {
      if (newest) {
        focusConflict()
        return
      }
      if (!memorial) return
      if (!(await saveStory(memorial))) return
      if (await sendFiles(id)) wizard.go(5)
    })
  }

  return (
    <StepForm
      wizard={wizard}
      facts={{ lifeStory: text }}
      missing="lifeStory"
      isBusy={isBusy}
      storedAt={draft.storedAt}
      errors={errors}
      onSave={save}
    >
      {newest && (
        <ConflictNotice
          onUseNewest={() => show(storyDraftOf(newest.lifeStory))}
          onKeepMine={() => {
            draft.change({ html, base: newest.lifeStory ?? '' })
            wizard.changed((view) => ({ ...view, memorial: newest }))
            setNewest(null)
          }}
        />
      )}
      {draft.wasRestored && !newest && story !== base && <RestoredNotice onDiscard={() => show(saved)} />}
      <StoryField
        html={html}
        version={version}
        error={errors?.fields['lifeStory']}
        onChange={(next) => draft.change({ html: next, base })}
      />
      <MediaPicker uploads={uploads} savedPhotos={countPhotos(own.media, memorial)} />
      {uploads.items.length > 0 && (
        <p>
          <Button
            ref={passFocusOn}
            isBusy={isBusy || !uploads.canSend}
            onClick={() => void run(async (id) => void (await sendFiles(id)))}
          >
            Send these files now
          </Button>
        </p>
      )}
      {listed.length > 0 && (
        <Suspense>
          <SavedMedia
            titleId={SAVED_TITLE_ID}
            memorialId={wizard.memorialId ?? ''}
            media={listed}
            coverMediaId={memorial?.coverMediaId ?? memorial?.profileMediaId ?? null}
            onCover={own.chooseCover}
            onChanged={own.changed}
            onDeleted={own.deleted}
            more={
              own.hasMore && (
                <p>
                  <Button isBusy={own.isLoadingMore} onClick={() => void own.showMore()}>
                    Show more
                  </Button>
                </p>
              )
            }
          />
        </Suspense>
      )}
    </StepForm>
  )
}

/** The button disappears with the last file; the list of what is saved takes its focus, or the nearest input for files. */
function passFocusOn(button: HTMLButtonElement): () => void {
  return () => {
    if (document.activeElement !== button) return
    const saved = document.getElementById(SAVED_TITLE_ID)
    const inputs = button.form?.querySelectorAll<HTMLElement>('input[type=file]') ?? []
    const heir = saved ?? [...inputs].at(-1)
    heir?.focus()
  }
}

/** Counts the owner's photos, except the main photo and the portrait. */
function countPhotos(
  media: readonly { id: string; type: string; contributorName: string | null }[],
  memorial: Pick<Memorial, 'coverMediaId' | 'profileMediaId'> | null,
) {
  const apart = new Set([memorial?.coverMediaId, memorial?.profileMediaId])
  return media.filter(
    ({ id, type, contributorName }) => type === 'IMAGE' && contributorName === null && !apart.has(id),
  ).length
}

import { Link } from 'react-router-dom'
import { TERMS_VERSION } from '#shared/limits.ts'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { links } from '#client/lib/links.ts'
import { LegalPage, LegalSection } from './legal-page.tsx'

// Figures are written out, not taken from limits.ts: changing a constant must never change a contract. A test compares
// the two.
export default function TermsPage() {
  return (
    <LegalPage
      title={SERVICE_TITLES[paths.terms]}
      effective={TERMS_VERSION}
      summary={
        <p>
          In short: you pay US$60 once for each memorial and it is not refunded. What you add stays yours. You
          decide who sees it. Please be truthful and kind. The full terms follow, and they are what counts.
        </p>
      }
    >
      <LegalSection id="agreement" title="These terms">
        <p>
          These terms are the agreement between you and Keeping Legacies Alive (“we”, “us”) about this website
          and the memorials on it (“the service”). By making an account, paying for a memorial, or adding to
          one, you agree to them. If you do not agree, please do not use the service.
        </p>
        <p>
          How we treat personal information is written in the <Link to={links.privacy}>privacy policy</Link>,
          which is part of this agreement.
        </p>
      </LegalSection>
      <LegalSection id="words" title="Words we use">
        <ul>
          <li>
            <strong>Memorial:</strong> the page, or the planned page, for a person who died.
          </li>
          <li>
            <strong>Owner:</strong> the person with an account who made the memorial.
          </li>
          <li>
            <strong>Contributor:</strong> a person who adds to a memorial through an invitation link.
          </li>
          <li>
            <strong>Visitor:</strong> anyone who looks at a memorial.
          </li>
          <li>
            <strong>Content:</strong> everything added to a memorial: texts, photos, videos, recordings,
            documents, places and messages.
          </li>
        </ul>
      </LegalSection>
      <LegalSection id="who" title="Who may use the service">
        <p>
          You must be at least 18 years old to have an account or to add to a memorial. Your account is for
          you alone: give a true name and an email address that you read, keep your password secret, and tell
          us if you think that somebody else has used your account.
        </p>
        <p>
          If you make a memorial, you say that you are a relative or a friend of the person who died, or act
          for the family, and that you may share what you share. We may ask for proof if the family disputes
          this.
        </p>
      </LegalSection>
      <LegalSection id="fee" title="The fee">
        <p>
          A memorial costs <strong>60 US dollars, paid once</strong>. There is no monthly or yearly fee. The
          fee is per memorial: a second memorial costs the fee a second time. Contributors and visitors pay
          nothing.
        </p>
        <p>
          Payment is by card through Stripe, or, where we offer it, by mobile money and Zimbabwean banks
          through Paynow. Your card number goes to Stripe or Paynow and never to us. Your bank may charge for
          changing currency or for paying abroad.
        </p>
        <p>
          You can begin a memorial before you pay. It cannot be shared until it is paid for. One payment pays
          for one memorial and cannot be moved to another person’s account, except as a gift: its code makes
          one memorial in the account that redeems it, within five years. Until it is paid for, a memorial
          holds up to 1 GB. If you do not use it for 90 days, we remove it, after two emails to you, unless
          you have stopped those.
        </p>
        <p>
          <strong>The fee is not refundable</strong>, except where the law gives you a right to a refund that
          cannot be given up, or where you were charged by our mistake, for example twice for one memorial. A
          gift can be refunded until somebody has redeemed its code.
        </p>
      </LegalSection>
      <LegalSection id="hosting" title="Lifetime hosting">
        <p>
          The fee includes hosting of the memorial for the lifetime of the service: as long as the service
          runs, a paid memorial stays at its address without a further fee. Its public address and the code
          that leads to it do not change.
        </p>
        <p>
          If we ever have to end the service, we will tell owners by email beforehand and give them reasonable
          time to take their content with them. No service can promise never to be interrupted. Please keep
          your own copies of photos and recordings that matter to you.
        </p>
      </LegalSection>
      <LegalSection id="owner" title="What the owner may do">
        <p>The owner of a memorial may, at any time:</p>
        <ul>
          <li>change its texts, pictures, funeral details and place;</li>
          <li>
            decide who sees it: private, invite-only, or public viewing. A memorial in public viewing is
            locked: anyone with the link can see it and nobody can add to it;
          </li>
          <li>
            share the invitation link, or have it replaced, which ends the access of everyone who used it;
          </li>
          <li>remove anything anyone has added, and restore it within 30 days, or delete it for good;</li>
          <li>
            ask people with accounts of their own to look after it, too, and end that again. They may do what
            their invitation says. Payments, and deleting the memorial, stay with the owner;
          </li>
          <li>
            hand it over to one of those people, with the owner’s rights and duties. For 7 days the former
            owner can take it back;
          </li>
          <li>
            name up to 2 people who may take it over if the owner does not answer three emails within 30 days.
            For 90 days the former owner can take it back;
          </li>
          <li>
            delete the memorial, or ask us to. It is hidden at once, can be brought back for 30 days, and is
            then removed for good.
          </li>
        </ul>
        <p>
          The owner is responsible for the memorial: for what it says, for whom it is shared with, and for
          dealing fairly with others in the family. Where relatives disagree, we may ask for an order of a
          court, and will follow one.
        </p>
      </LegalSection>
      <LegalSection id="contributors" title="Invitations and contributors">
        <p>
          Each memorial can have an invitation link, and further ones with a name, a last day or a PIN. Each
          contains a random code (a UUID) that cannot be guessed. Anyone who has a link can see an invite-only
          memorial and add to it, so share it only with people you trust. Many people can use the same link.
        </p>
        <p>To one memorial, each contributor can add:</p>
        <ul>
          <li>up to 10 images;</li>
          <li>1 audio file of up to 10 minutes;</li>
          <li>1 video file of up to 5 minutes;</li>
          <li>messages in the guestbook, of up to 2,000 characters each.</li>
        </ul>
        <p>
          Contributors can remove what they added themselves while the memorial is invite-only or public, as
          long as their invitation works. The number of contributors is not limited. If the owner allows it,
          visitors can leave messages on a public memorial without an invitation, and take back their own. To
          keep the service working for all, there are technical limits on the size of a file and on what one
          memorial can hold in total.
        </p>
      </LegalSection>
      <LegalSection id="content" title="Your content">
        <p>
          What you add remains yours. You give us permission, without payment, to store it, to make smaller or
          newer forms of it, and to show it to those who may see the memorial. We use it for nothing else: no
          advertising, and no sale to others. The permission ends when the content is deleted, apart from
          copies that the law makes us keep.
        </p>
        <p>
          Add only what you may share. If you took it from somebody else, ask them. If it shows living people,
          consider whether they would want it seen.
        </p>
      </LegalSection>
      <LegalSection id="rules" title="What is not allowed">
        <ul>
          <li>a memorial for a living person, or for a person who did not exist;</li>
          <li>anything against the law, hateful, threatening, sexual, or meant to hurt the family;</li>
          <li>content that infringes copyright, privacy or other rights of somebody else;</li>
          <li>asking for money under a false name, advertising, or spam;</li>
          <li>
            viruses, attempts to get into other people’s memorials or accounts, or use by programs that burden
            the service;
          </li>
          <li>selling access to a memorial or to an invitation link.</li>
        </ul>
      </LegalSection>
      <LegalSection id="removal" title="Removal and suspension">
        <p>
          If these terms are broken, or if the law requires it, we may remove content, delete a memorial,
          suspend access to an account, or replace an invitation link. <strong>No refund is due</strong> in
          these cases. Unless it is urgent or the law forbids it, we will tell the owner why, and hear the
          owner’s side.
        </p>
        <p>
          Everybody can report a message, photo, video or recording to the family. Reports from three people
          hide it until the family has decided. What the family leaves for 7 days, we look at ourselves.
        </p>
        <p>
          If you believe that something on a memorial should not be there, you can also tell us through the{' '}
          <Link to={links.contact}>contact form</Link>, with the address of the page and the reason.
        </p>
      </LegalSection>
      <LegalSection id="plaques" title="Codes, plaques and maps">
        <p>
          You can download the code and the plaque of a memorial and have them engraved or printed by anyone.
          A plaque is not part of the fee. If you ask us for one, we answer with a price, and nothing is
          ordered until you accept it. Please make sure that the cemetery allows a plaque before you have one
          fixed. Please try the code with a phone before it is cut into stone. Map positions and directions
          come from what the owner entered and from map services that we do not run; check them before you
          travel.
        </p>
      </LegalSection>
      <LegalSection id="liability" title="Liability">
        <p>
          We run the service with care, but we provide it as it is, and cannot promise that it will always be
          available or free of faults. We do not check what owners and contributors write, and are not
          responsible for it.
        </p>
        <p>
          As far as the law allows, we are not liable for indirect or consequential loss, and our whole
          liability to you about the service is limited to{' '}
          <strong>the greater of 60 US dollars or the amount that you have paid us</strong>. Nothing in these
          terms limits liability that cannot be limited by law, such as for fraud or gross negligence, or
          takes away rights that consumer law gives you.
        </p>
      </LegalSection>
      <LegalSection id="ending" title="Ending this agreement">
        <p>
          You may end this agreement at any time: delete your account on your dashboard, and your memorials go
          with it, unless you leave them to somebody who looks after them with you. What you have paid is not
          refunded. A deleted account or memorial is hidden at once, can be brought back for 30 days, and is
          then removed for good. The sections on your content, liability and the law continue to apply.
        </p>
      </LegalSection>
      <LegalSection id="changes" title="Changes to these terms">
        <p>
          We may change these terms, for example when the law or the service changes. The date at the top says
          from when they apply. If a change matters to you as an owner, we will tell you by email beforehand.
          A change never adds a fee to a memorial that is paid for.
        </p>
      </LegalSection>
      <LegalSection id="law" title="Law and courts">
        <p>
          This agreement is governed by the law of South Africa, and the courts in Cape Town decide disputes
          about it. If you are a consumer, this does not take away the protection of the law of the country
          where you live. If one part of these terms is not valid, the rest stays in force.
        </p>
      </LegalSection>
      <LegalSection id="contact" title="Contact">
        <p>
          Questions about these terms? Write to us through the <Link to={links.contact}>contact form</Link>.
        </p>
      </LegalSection>
    </LegalPage>
  )
}

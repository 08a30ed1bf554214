import { Link } from 'react-router-dom'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { links } from '#client/lib/links.ts'
import { LegalPage, LegalSection } from './legal-page.tsx'

// This text must match the code: update it when cookies, storage or providers change.
export default function PrivacyPage() {
  return (
    <LegalPage
      title={SERVICE_TITLES[paths.privacy]}
      effective="2025-09-28"
      summary={
        <p>
          In short: a memorial is seen only by the people its owner has chosen. Cookies sign you in safely,
          open your invitation and remember “Use less data”. There is no tracking and no advertising, and
          nothing is sold. If you ask us to delete what we hold about you, we do so within 30 days.
        </p>
      }
    >
      <LegalSection id="who" title="Who we are">
        <p>
          Keeping Legacies Alive (“we”, “us”) runs this website and is responsible for the personal
          information described here. You reach us through the <Link to={links.contact}>contact form</Link>.
          The service is for people aged 18 and over; we do not knowingly collect information from anyone
          younger.
        </p>
      </LegalSection>
      <LegalSection id="collect" title="What we collect">
        <ul>
          <li>
            <strong>Your account:</strong> first and last name, email address, and your password in a
            scrambled form from which it cannot be read back; when you last opened each of your memorials, to
            show what was added since; and where you are signed in: kind of browser and device, country, and
            the day you last used it, so that you can sign out a device you don’t know. That is deleted when
            you sign out, or at the latest 90 days after you signed in. If you change your email address, we
            keep the old one for two weeks, so that you can undo it.
          </li>
          <li>
            <strong>The memorial:</strong> what the owner and contributors add: names, dates, texts, photos,
            videos, recordings, funeral details, the place of the grave, and messages. It is mostly about a
            person who died, but may say something about living people, and sometimes about religion or
            health.
          </li>
          <li>
            <strong>Contributors:</strong> the name you give, what you add, and when. You need no account and
            no email address. If you leave one, we use it only to send you a code, by which another phone
            knows you again; the family doesn’t see it, and you can delete it at any time.
          </li>
          <li>
            <strong>Visitors who leave a message:</strong> the name you give, how you knew the person if you
            say so, your words, and when. A cookie lets you see them and take them back. If you leave your
            email address, we use it only to send you a link to your message; the family doesn’t see it. Words
            that you take back are deleted at once; once all of yours are deleted, your name and address are,
            too.
          </li>
          <li>
            <strong>People who say whether they come:</strong> your answer, the name you give, how many you
            are, your words and, if you leave it, your email address, to which we send what changes. Only the
            family sees them.
          </li>
          <li>
            <strong>People who look after a memorial with its owner:</strong> what they did there, for twelve
            months, and when they last opened it. The others who look after it see that and their name; the
            owner sees their email address, too.
          </li>
          <li>
            <strong>People who ask to be let in:</strong> your name, how you knew the person, and your email
            address. Only those who look after the memorial see them, and we delete them after 90 days.
          </li>
          <li>
            <strong>People who may take a memorial over:</strong> the name and email address that its owner
            gives us. Only the owner sees them. We write to them if the owner asks us to, and when they can
            take the memorial over.
          </li>
          <li>
            <strong>Payments:</strong> amount, date, state, and Stripe’s or Paynow’s number for the payment.
            Your card number goes from your browser to Stripe; we never see it. If you pay by mobile money, we
            keep the phone number that pays, so that we can give money back.
          </li>
          <li>
            <strong>Paying for somebody else:</strong> your name and email address. The family sees the name
            and can thank you through us; they don’t see the address. If you give a memorial, whoever has its
            code sees your name and your words. Your browser keeps both until you’ve paid.
          </li>
          <li>
            <strong>Emails about a memorial:</strong> your email address, if you ask for them, and when you
            want them. Nobody sees the address, and we delete it when you stop them.
          </li>
          <li>
            <strong>Messages to support:</strong> your email address, the subject and the message.
          </li>
          <li>
            <strong>Technical data:</strong> your IP address, to limit abuse, and short-lived logs with the
            time and kind of each request. Logs hold no passwords, messages or card data.
          </li>
        </ul>
      </LegalSection>
      <LegalSection id="why" title="What we use it for">
        <ul>
          <li>
            to run memorials and show them to the people whom the owner has chosen (our agreement with you);
          </li>
          <li>to take payment and send a receipt (our agreement, and tax and accounting law);</li>
          <li>
            to send the mails that the service needs: to confirm your address, to reset a password, receipts
            and notices (our agreement);
          </li>
          <li>to answer you (your request);</li>
          <li>to keep the service safe, and to stop abuse and fraud (our legitimate interest).</li>
        </ul>
        <p>
          We do not sell personal information, show no advertising, send no newsletters, and do not track you
          on this or other websites. No decision about you is made by a machine alone.
        </p>
      </LegalSection>
      <LegalSection id="visible" title="Who can see a memorial">
        <ul>
          <li>
            <strong>Private:</strong> only the owner, whoever looks after it with them and, where they must,
            our administrators.
          </li>
          <li>
            <strong>Invite-only:</strong> those, and people with an invitation link. Each link contains a
            random code that cannot be guessed. The owner can replace or end it at any time.
          </li>
          <li>
            <strong>Public viewing:</strong> anyone with the public link. We ask search engines not to list
            memorials.
          </li>
        </ul>
        <p>
          The place of the grave is shown to those who look after the memorial only, unless they choose to
          show it. Names of contributors appear beside what they added. Our administrators look at a memorial
          only to help its owner or to look into a complaint; what they change is recorded.
        </p>
      </LegalSection>
      <LegalSection id="photos" title="Photos and hidden data">
        <p>
          Phones write data into photos (EXIF): the place, the time, the camera. Visitors and contributors get
          copies of photos from which this has been removed. The photo as it was sent is kept, and only the
          owner of the memorial can download it.
        </p>
        <p>
          Phones do the same with videos and recordings, and some cameras and drones also record their route.
          We remove the place, the camera and the route before we keep a video or a recording, for everybody.
          PDF documents are shown as they were sent. If one holds hidden data that you do not want to share,
          please remove it before you add the file.
        </p>
      </LegalSection>
      <LegalSection id="cookies" title="Cookies and storage on your device">
        <p>
          We set eleven kinds of cookie, and none for tracking. <strong>One keeps you signed in</strong>, for
          30 days after your last visit and 90 days at most. One remembers for a year that you signed in on
          this device, so that people who guess passwords elsewhere can’t lock you out; it opens nothing. One
          shows, for a day, that an account was created in this browser. If you open an invitation without
          signing in, one lets you into that memorial, for up to 180 days. One remembers that you pressed “Use
          less data”, for a year. If you leave a message on a public memorial, and not before, one lets this
          browser show you what you wrote and take it back, for 400 days after your first message; it says
          nothing else about you. One more does the same, for 400 days, if you open the link we mailed you, or
          if several people with different addresses write in this browser. If you tell a family whether you
          come to a gathering, one lets this browser show and change your answer, for 400 days. If you ask for
          a code to be known on this phone again, one says for an hour that it was this browser. If you use a
          passkey, one says for 5 minutes what your device was asked; if you set up an authenticator app, one
          keeps its secret, encrypted, for as long.
        </p>
        <p>
          Your browser also keeps some things on your device: your answer to the cookie notice, whether you
          send photos as they are, when you last logged out, for a day the address you registered with, what
          you have written and not sent yet, files that are still on their way to a memorial, and, after an
          invitation, the name you gave and the key that lets you in. So that you can read them without a
          connection, it keeps a copy of the last ten memorials you opened that are public or that you were
          invited to, with the pictures you saw. All this is removed when you clear the data of this site; the
          files as soon as they have arrived or you sign out, and the copies and the messages that wait when
          you sign out. A copy also goes when the family has closed the memorial and your device is online
          again.
        </p>
        <p>
          On the pages where you pay, Stripe’s script is loaded, and Stripe may set cookies of its own to
          prevent fraud. No other page loads anything from another company.
        </p>
      </LegalSection>
      <LegalSection id="providers" title="Companies we use">
        <p>These companies handle information on our behalf, each only for its own task:</p>
        <ul>
          <li>
            <strong>Cloudflare</strong> hosts the website, the database and the files, and delivers pages.
          </li>
          <li>
            <strong>Stripe</strong> takes card payments. For some of this Stripe is responsible itself: see{' '}
            <a href="https://stripe.com/privacy">Stripe’s privacy policy</a>.
          </li>
          <li>
            <strong>Paynow</strong> takes payments by mobile money and from Zimbabwean banks. It gets the
            amount, the phone number that pays and your email address.
          </li>
          <li>
            <strong>MailChannels</strong> delivers our emails.
          </li>
          <li>
            <strong>A map service</strong> may draw the picture of the place of a grave. It learns the place
            from us, but not whose grave it is or who looks at it.
          </li>
        </ul>
        <p>
          They work in several countries, so information may be stored or handled outside the country where
          you live, under contracts that require it to be protected. We give information to authorities only
          where the law obliges us to. Links to map services and social networks lead to other companies, and
          nothing is sent to them before you follow the link.
        </p>
      </LegalSection>
      <LegalSection id="keep" title="How long we keep it">
        <ul>
          <li>
            <strong>Memorials:</strong> permanently, until the owner deletes them.
          </li>
          <li>
            <strong>Memorials that are not paid for:</strong> until their owner has not used them for 90 days.
            We send two emails first, unless you have stopped those; then they count as deleted.
          </li>
          <li>
            <strong>Memorials that their owner deletes:</strong> hidden at once, can be brought back for 30
            days, then removed for good with all files.
          </li>
          <li>
            <strong>Photos, recordings and messages that somebody removes:</strong> hidden at once, can be
            restored for 30 days, then removed for good. They can be deleted for good before that. What a new
            owner removes is kept while the former one can take the memorial back, and 30 days longer if they
            do.
          </li>
          <li>
            <strong>Answers to whether you come:</strong> 90 days after the gathering, unless the family keeps
            them longer; until you take yours back, if that is sooner.
          </li>
          <li>
            <strong>Accounts that their owner deletes:</strong> hidden at once with their memorials. Signing
            in within 30 days brings everything back; then all of it is removed for good.
          </li>
          <li>
            <strong>Anything else that you ask us to delete:</strong> deleted within 30 days of the request
            (see “Your rights”).
          </li>
          <li>
            <strong>Earlier states and backups:</strong> our host keeps earlier states of the database for up
            to 30 days, and we keep backups of the database and the files for up to 30 days, so that a fault
            can be repaired. We use them for nothing else.
          </li>
          <li>
            <strong>Accounts that were never confirmed:</strong> removed after 7 days.
          </li>
          <li>
            <strong>Payment records:</strong> as long as tax and accounting law requires. When an account is
            removed, its payments are kept without name and address.
          </li>
          <li>
            <strong>Messages to support:</strong> until the matter is settled, and as long as we may need to
            show how we answered.
          </li>
        </ul>
      </LegalSection>
      <LegalSection id="rights" title="Your rights">
        <p>
          You may ask us what we hold about you, ask for a copy, have it corrected or deleted, object to how
          we use it, or withdraw a consent. This holds for contributors and for people who are mentioned on a
          memorial, too. Owners can download a copy and delete their account on the dashboard; for anything
          else, write to us through the <Link to={links.contact}>contact form</Link>. If something on a
          memorial is yours or shows you, and you cannot remove it yourself,{' '}
          <Link to={links.requestRemoval}>ask us to remove it</Link>.
        </p>
        <p>
          <strong>When you ask for deletion, we delete within 30 days of the request</strong>, apart from what
          the law obliges us to keep. We may first have to make sure that it is you who asks. If you are
          mentioned on a memorial, we may speak with its owner first.
        </p>
        <p>
          You may also complain to the authority that protects personal information where you live; in South
          Africa this is the Information Regulator.
        </p>
      </LegalSection>
      <LegalSection id="security" title="How we protect it">
        <p>
          Connections are encrypted. Passwords are stored scrambled, and the links in our mails that confirm
          an address or reset a password work once and for a short time. Every file and text of a memorial is
          given out only after its privacy setting has been checked. No system is perfectly safe: if
          information about you is ever exposed, we will tell you and the authorities as the law requires.
        </p>
      </LegalSection>
      <LegalSection id="changes" title="Changes, and the law that applies">
        <p>
          If we change this policy, the date at the top changes, and we tell owners by email about changes
          that matter. This policy is governed by the law of South Africa, including the Protection of
          Personal Information Act, and the courts in Cape Town decide disputes about it. The data protection
          law of the country where you live may also protect you.
        </p>
      </LegalSection>
    </LegalPage>
  )
}

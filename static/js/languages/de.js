// Made by `make messages` from locale/de/LC_MESSAGES/djangojs.po.

import { useCatalogue } from "../language.js";

useCatalogue(
  {
    "About {aspects}": "Betrifft {aspects}",
    "Another person is logged in on this browser now.":
      "In diesem Browser ist jetzt eine andere Person angemeldet.",
    "Changed to: {answer}": "Geändert: {answer}",
    "Discard the note": "Notiz verwerfen",
    "Each answer is saved before the next case appears, and working offline is not possible.":
      "Jede Antwort wird gespeichert, bevor der nächste Fall erscheint. Arbeiten ohne Netz ist nicht möglich.",
    "Each answer is saved before the next pair appears, and working offline is not possible.":
      "Jede Antwort wird gespeichert, bevor das nächste Paar erscheint. Arbeiten ohne Netz ist nicht möglich.",
    "Fetching the next pair…": "Das nächste Paar wird geholt …",
    "Going on…": "Weiter geht es …",
    "In {collection}:": "In {collection}:",
    "It is sent again automatically.": [
      "Es wird automatisch noch einmal gesendet.",
      "Sie werden automatisch noch einmal gesendet.",
    ],
    "Last: asked the admin. Judge this pair now, or put it off.":
      "Zuletzt: Leitung gefragt. Beurteilen Sie dieses Paar jetzt, oder stellen Sie es zurück.",
    "Last: put off for later": "Zuletzt: zurückgestellt",
    "Last: {answer}": "Zuletzt: {answer}",
    "Log in again as yourself, then come back here.":
      "Melden Sie sich selbst wieder an, und kommen Sie dann hierher zurück.",
    "Log in again in a new tab": "In einem neuen Tab wieder anmelden",
    "More about {name}": "Mehr zu {name}",
    "Not saved yet: {number} of your answers.": "Noch nicht gespeichert: {number} Ihrer Antworten.",
    "Not saved: {said} for “{title}”.": "Nicht gespeichert: {said} zu „{title}“.",
    "Nothing marked": "Nichts markiert",
    "Nothing to mark has the number {digit}": "Nichts zu markieren hat die Nummer {digit}",
    "One field is invalid. Nothing was saved.":
      "Ein Feld ist ungültig. Es wurde nichts gespeichert.",
    "Only the facet’s sentences: off": "Nur die Sätze der Facette: aus",
    "Only the facet’s sentences: on": "Nur die Sätze der Facette: an",
    "Open it": "Öffnen",
    "Open the case": "Fall öffnen",
    "Press ignored: this case had only just appeared. Press again.":
      "Tastendruck ignoriert: Dieser Fall war gerade erst erschienen. Drücken Sie noch einmal.",
    "Press ignored: this pair had only just appeared. Press again.":
      "Tastendruck ignoriert: Dieses Paar war gerade erst erschienen. Drücken Sie noch einmal.",
    "Saving your last judgments…": "Ihre letzten Urteile werden gespeichert …",
    "Scroll to the candidate to grade it.": "Scrollen Sie zum Kandidaten, um ihn einzustufen.",
    "See both judgments as they are": "Beide Urteile im jetzigen Stand ansehen",
    "See this pair": "Dieses Paar ansehen",
    "Select it and copy by hand": "Bitte markieren und von Hand kopieren",
    "Send now": "Jetzt senden",
    "Sentence labels: off": "Labels der Sätze: aus",
    "Sentence labels: on": "Labels der Sätze: an",
    "Shared words: off": "Gemeinsame Wörter: aus",
    "Shared words: on": "Gemeinsame Wörter: an",
    "Show all sentences ({number} more)": "Alle Sätze zeigen ({number} weitere)",
    "Show {number} more": "{number} weitere zeigen",
    "Something else answered in place of the server (status {status}), for example a proxy.":
      "Statt des Servers hat etwas anderes geantwortet (Status {status}), zum Beispiel ein Proxy.",
    "Something else answered in place of the server. This network may want you to log in to it.":
      "Statt des Servers hat etwas anderes geantwortet. Vielleicht verlangt dieses Netz eine Anmeldung.",
    "Text size: large": "Schriftgröße: groß",
    "Text size: normal": "Schriftgröße: normal",
    "Text size: small": "Schriftgröße: klein",
    "The earlier pair cannot be fetched just now": "Das frühere Paar lässt sich gerade nicht holen",
    "The next pairs cannot be fetched at the moment. This page tries again automatically.":
      "Die nächsten Paare lassen sich zurzeit nicht holen. Diese Seite versucht es automatisch weiter.",
    "The passkey was not used: it was cancelled, or it took too long. Try again.":
      "Der Passkey wurde nicht verwendet: Der Vorgang wurde abgebrochen oder dauerte zu lange. Versuchen Sie es erneut.",
    "The query’s facet sentences": "Die Sätze der Facette aus der Anfrage",
    "The server cannot be reached.": "Der Server ist nicht erreichbar.",
    "The server cannot save just now (error {status}).":
      "Der Server kann gerade nicht speichern (Fehler {status}).",
    "There is no earlier judgment to undo":
      "Es gibt kein früheres Urteil, das sich rückgängig machen lässt",
    "They stay on this computer and are sent when you log in again in this browser. Log out now?":
      "Sie bleiben auf diesem Computer und werden gesendet, wenn Sie sich in diesem Browser wieder anmelden. Jetzt abmelden?",
    "This browser blocks storage for this site, so nothing can be kept on this computer.":
      "Dieser Browser blockiert den Speicher für diese Website, daher kann nichts auf diesem Computer aufbewahrt werden.",
    "This browser refuses to keep anything on this computer.":
      "Dieser Browser will nichts auf diesem Computer aufbewahren.",
    "This collection is archived. An admin can unarchive it.":
      "Diese Sammlung ist archiviert. Die Leitung kann sie wieder öffnen.",
    "This device has no passkey that works here. Use another way.":
      "Dieses Gerät hat keinen Passkey, der hier funktioniert. Verwenden Sie einen anderen Weg.",
    "This page goes on automatically once they are saved.":
      "Diese Seite geht automatisch weiter, sobald sie gespeichert sind.",
    "To change that, allow this site to store data, then reload.":
      "Erlauben Sie dieser Website, Daten zu speichern, und laden Sie neu, um das zu ändern.",
    "You are logged out.": "Sie sind abgemeldet.",
    "You can go on: {number} more pair is ready here.": [
      "Sie können weitermachen: {number} weiteres Paar liegt hier bereit.",
      "Sie können weitermachen: {number} weitere Paare liegen hier bereit.",
    ],
    "You have judged every pair that is ready here.":
      "Sie haben jedes Paar beurteilt, das hier bereitliegt.",
    "Your answer waits to be saved. You can change it after that.":
      "Ihre Antwort wartet darauf, gespeichert zu werden. Danach können Sie sie ändern.",
    "Your decision waits to be saved. You can change it after that.":
      "Ihre Entscheidung wartet darauf, gespeichert zu werden. Danach können Sie sie ändern.",
    "Your note on a case that you did not save: {note}":
      "Ihre Notiz zu einem Fall, die Sie nicht gespeichert haben: {note}",
    "Your note was: {note}": "Ihre Notiz war: {note}",
    "Your question was: {question}": "Ihre Frage war: {question}",
    "Your rating waits to be saved. You can change it after that.":
      "Ihre Bewertung wartet darauf, gespeichert zu werden. Danach können Sie sie ändern.",
    "asked the admin": "Leitung gefragt",
    "cannot judge: {reason}": "nicht beurteilbar: {reason}",
    "judgment {letter}": "Urteil {letter}",
    "question to the admin": "Frage an die Leitung",
    "the judgment is kept": "das Urteil bleibt",
    "{minutes} min left": "noch {minutes} Min.",
    "{number} answer is not saved yet": [
      "{number} Antwort ist noch nicht gespeichert",
      "{number} Antworten sind noch nicht gespeichert",
    ],
    "{number} decision is not saved yet": [
      "{number} Entscheidung ist noch nicht gespeichert",
      "{number} Entscheidungen sind noch nicht gespeichert",
    ],
    "{number} fields are invalid. Nothing was saved.":
      "{number} Felder sind ungültig. Es wurde nichts gespeichert.",
    "{number} judgment is not saved yet": [
      "{number} Urteil ist noch nicht gespeichert",
      "{number} Urteile sind noch nicht gespeichert",
    ],
    "{number} not saved": "{number} nicht gespeichert",
    "{number} question is not saved yet": [
      "{number} Frage ist noch nicht gespeichert",
      "{number} Fragen sind noch nicht gespeichert",
    ],
    "{number} rating is not saved yet": [
      "{number} Bewertung ist noch nicht gespeichert",
      "{number} Bewertungen sind noch nicht gespeichert",
    ],
    "{number} unsaved": "{number} ungespeichert",
    "{seconds} s a pair": "{seconds} s pro Paar",
    "{unsaved}, but kept in this tab only: do not close it.":
      "{unsaved}, wird aber nur in diesem Tab aufbewahrt: Schließen Sie ihn nicht.",
    "{unsaved}, but kept on this computer.": "{unsaved}, wird aber auf diesem Computer aufbewahrt.",
    Copied: "Kopiert",
    Dismiss: "Ausblenden",
    Less: "Weniger",
    More: "Mehr",
    Saved: "Gespeichert",
    Saving: "Speichert",
    later: "später",
  },
  (n) => Number(n !== 1),
);

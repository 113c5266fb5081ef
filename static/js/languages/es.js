// Made by `make messages` from locale/es/LC_MESSAGES/djangojs.po.

import { useCatalogue } from "../language.js";

useCatalogue(
  {
    "About {aspects}": "Sobre {aspects}",
    "Another person is logged in on this browser now.":
      "Ahora hay otra persona con la sesión iniciada en este navegador.",
    "Changed to: {answer}": "Cambiado a: {answer}",
    "Discard the note": "Descartar la nota",
    "Each answer is saved before the next case appears, and working offline is not possible.":
      "Cada respuesta se guarda antes de que aparezca el caso siguiente, y no se puede trabajar sin conexión.",
    "Each answer is saved before the next pair appears, and working offline is not possible.":
      "Cada respuesta se guarda antes de que aparezca el par siguiente, y no se puede trabajar sin conexión.",
    "Fetching the next pair…": "Obteniendo el par siguiente…",
    "Going on…": "Continuando…",
    "In {collection}:": "En {collection}:",
    "It is sent again automatically.": [
      "Se vuelve a enviar automáticamente.",
      "Se vuelven a enviar automáticamente.",
    ],
    "Last: asked the admin. Judge this pair now, or put it off.":
      "Último: pregunta a la administración. Juzgue este par ahora o aplácelo.",
    "Last: put off for later": "Último: aplazado",
    "Last: {answer}": "Último: {answer}",
    "Log in again as yourself, then come back here.":
      "Inicie sesión otra vez con su cuenta y vuelva aquí.",
    "Log in again in a new tab": "Iniciar sesión en una pestaña nueva",
    "More about {name}": "Más sobre {name}",
    "Not saved yet: {number} of your answers.": "Aún sin guardar: {number} de sus respuestas.",
    "Not saved: {said} for “{title}”.": "No guardado: {said} para «{title}».",
    "Nothing marked": "Nada marcado",
    "Nothing to mark has the number {digit}": "Nada que marcar tiene el número {digit}",
    "One field is invalid. Nothing was saved.": "Un campo no es válido. No se ha guardado nada.",
    "Only the facet’s sentences: off": "Solo las frases de la faceta: no",
    "Only the facet’s sentences: on": "Solo las frases de la faceta: sí",
    "Open it": "Abrir",
    "Open the case": "Abrir el caso",
    "Press ignored: this case had only just appeared. Press again.":
      "Pulsación ignorada: este caso acababa de aparecer. Pulse de nuevo.",
    "Press ignored: this pair had only just appeared. Press again.":
      "Pulsación ignorada: este par acababa de aparecer. Pulse de nuevo.",
    "Saving your last judgments…": "Guardando sus últimos juicios…",
    "Scroll to the candidate to grade it.": "Desplácese hasta el candidato para graduarlo.",
    "See both judgments as they are": "Ver los dos juicios como están",
    "See this pair": "Ver este par",
    "Select it and copy by hand": "Selecciónelo y cópielo a mano",
    "Send now": "Enviar ahora",
    "Sentence labels: off": "Etiquetas de las frases: no",
    "Sentence labels: on": "Etiquetas de las frases: sí",
    "Shared words: off": "Palabras compartidas: no",
    "Shared words: on": "Palabras compartidas: sí",
    "Show all sentences ({number} more)": "Mostrar todas las frases ({number} más)",
    "Show {number} more": "Mostrar {number} más",
    "Something else answered in place of the server (status {status}), for example a proxy.":
      "Respondió otra cosa en lugar del servidor (estado {status}), por ejemplo un proxy.",
    "Something else answered in place of the server. This network may want you to log in to it.":
      "Respondió otra cosa en lugar del servidor. Puede que esta red pida iniciar sesión en ella.",
    "Text size: large": "Tamaño del texto: grande",
    "Text size: normal": "Tamaño del texto: normal",
    "Text size: small": "Tamaño del texto: pequeño",
    "The earlier pair cannot be fetched just now": "El par anterior no se puede obtener ahora",
    "The next pairs cannot be fetched at the moment. This page tries again automatically.":
      "Los pares siguientes no se pueden obtener en este momento. Esta página lo intenta de nuevo automáticamente.",
    "The passkey was not used: it was cancelled, or it took too long. Try again.":
      "No se ha usado la clave de acceso: se canceló o tardó demasiado. Inténtelo de nuevo.",
    "The query’s facet sentences": "Las frases de la faceta en la consulta",
    "The server cannot be reached.": "No se puede acceder al servidor.",
    "The server cannot save just now (error {status}).":
      "El servidor no puede guardar ahora (error {status}).",
    "There is no earlier judgment to undo": "No hay ningún juicio anterior que deshacer",
    "They stay on this computer and are sent when you log in again in this browser. Log out now?":
      "Se quedan en este ordenador y se envían cuando vuelva a iniciar sesión en este navegador. ¿Cerrar sesión ahora?",
    "This browser blocks storage for this site, so nothing can be kept on this computer.":
      "Este navegador bloquea el almacenamiento de este sitio, así que no se puede conservar nada en este ordenador.",
    "This browser refuses to keep anything on this computer.":
      "Este navegador se niega a conservar nada en este ordenador.",
    "This collection is archived. An admin can unarchive it.":
      "Esta colección está archivada. La administración puede desarchivarla.",
    "This device has no passkey that works here. Use another way.":
      "Este dispositivo no tiene ninguna clave de acceso que sirva aquí. Use otro medio.",
    "This page goes on automatically once they are saved.":
      "Esta página sigue automáticamente cuando se hayan guardado.",
    "To change that, allow this site to store data, then reload.":
      "Para cambiarlo, permita que este sitio almacene datos y recargue.",
    "You are logged out.": "La sesión está cerrada.",
    "You can go on: {number} more pair is ready here.": [
      "Puede seguir: aquí hay {number} par más listo.",
      "Puede seguir: aquí hay {number} pares más listos.",
    ],
    "You have judged every pair that is ready here.":
      "Ha juzgado todos los pares que hay listos aquí.",
    "Your answer waits to be saved. You can change it after that.":
      "Su respuesta espera a guardarse. Después puede cambiarla.",
    "Your decision waits to be saved. You can change it after that.":
      "Su decisión espera a guardarse. Después puede cambiarla.",
    "Your note on a case that you did not save: {note}":
      "Su nota sobre un caso que no guardó: {note}",
    "Your note was: {note}": "Su nota era: {note}",
    "Your question was: {question}": "Su pregunta era: {question}",
    "Your rating waits to be saved. You can change it after that.":
      "Su valoración espera a guardarse. Después puede cambiarla.",
    "asked the admin": "preguntado a la administración",
    "cannot judge: {reason}": "no se puede juzgar: {reason}",
    "judgment {letter}": "juicio {letter}",
    "question to the admin": "pregunta a la administración",
    "the judgment is kept": "el juicio se mantiene",
    "{minutes} min left": "quedan {minutes} min",
    "{number} answer is not saved yet": [
      "{number} respuesta aún no se ha guardado",
      "{number} respuestas aún no se han guardado",
    ],
    "{number} decision is not saved yet": [
      "{number} decisión aún no se ha guardado",
      "{number} decisiones aún no se han guardado",
    ],
    "{number} fields are invalid. Nothing was saved.":
      "{number} campos no son válidos. No se ha guardado nada.",
    "{number} judgment is not saved yet": [
      "{number} juicio aún no se ha guardado",
      "{number} juicios aún no se han guardado",
    ],
    "{number} not saved": "{number} no guardados",
    "{number} question is not saved yet": [
      "{number} pregunta aún no se ha guardado",
      "{number} preguntas aún no se han guardado",
    ],
    "{number} rating is not saved yet": [
      "{number} valoración aún no se ha guardado",
      "{number} valoraciones aún no se han guardado",
    ],
    "{number} unsaved": "{number} sin guardar",
    "{seconds} s a pair": "{seconds} s por par",
    "{unsaved}, but kept in this tab only: do not close it.":
      "{unsaved}, pero se conserva solo en esta pestaña: no la cierre.",
    "{unsaved}, but kept on this computer.": "{unsaved}, pero se conserva en este ordenador.",
    Copied: "Copiado",
    Dismiss: "Descartar",
    Less: "Menos",
    More: "Más",
    Saved: "Guardado",
    Saving: "Guardando",
    later: "después",
  },
  (n) => Number(n !== 1),
);

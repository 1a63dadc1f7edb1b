// The states of the record beside the list. Nothing here needs a browser.

/** @typedef {"closed" | "viewing" | "editing" | "saving" | "refused" | "conflict" | "gone"} Name */
/** @typedef {"edit" | "save" | "saveAsNew" | "saved" | "refused" | "cancelled" | "changed" | "deleted" | "restored" | "leave"} Event */
/**
 * @typedef {object} State
 * @property {Name} name
 * @property {boolean} isAlone Whether there is no record to return to: the form is for a new record, or for a single object.
 * @property {boolean} hasText Whether there is a form with the user's text.
 * @property {Name} from The state before `saving`.
 * @property {boolean} adds Whether the save adds another record.
 * @property {string} notice What happened to the record elsewhere.
 * @property {string} error Why the text was not saved.
 */

/** @type {State} */
export const closed = Object.freeze({ name: "closed", isAlone: false, hasText: false, from: "closed", adds: false, notice: "", error: "" });

/** The state of a record that is opened. @type {State} */
export const viewing = Object.freeze({ ...closed, name: "viewing" });

/** The state of a form without a record to return to. @type {State} */
export const alone = Object.freeze({ ...closed, name: "editing", isAlone: true, hasText: true });

const changed = (state) => ({ ...state, name: "conflict", error: "", notice: "This record was changed elsewhere. Save shows both versions." });
const deleted = (state) =>
  ({ ...state, name: "gone", error: "", notice: `This record was deleted elsewhere.${state.hasText ? " Your text is still here." : ""}` });
const leave = ({ isAlone }) => (isAlone ? closed : viewing);
const save = (state) => ({ ...state, name: "saving", from: state.name, adds: state.name === "gone", error: "" });
const saveAsNew = (state) => ({ ...save(state), adds: true });
// What is gone stays gone.
const refused = (state, error) => ({ ...state, name: state.from === "gone" ? "gone" : "refused", error });

const form = { save, saveAsNew, refused, changed, deleted, leave };

/** The state after each event; an event that a state does not name changes nothing. @type {Record<Name, { [event in Event]?: (state: State, error: string) => State }>} */
export const transitions = {
  closed: {},
  viewing: { edit: () => ({ ...viewing, name: "editing", hasText: true }), deleted },
  editing: form,
  // The server's response says what other clients did meanwhile. A record that was added is shown in the list.
  saving: { saved: ({ isAlone, adds }) => (isAlone || adds ? closed : viewing), refused, deleted, cancelled: changed },
  refused: form,
  conflict: form,
  gone: {
    save: (state) => (state.hasText ? save(state) : state), refused: (state, error) => ({ ...state, error }), leave: () => closed,
    restored: (state) => (state.hasText ? changed(state) : viewing),
  },
};

/** @param {State} state @param {Event} event @returns {State} */
export const after = (state, event, error = "") => transitions[state.name][event]?.(state, error) ?? state;

/** Whether the form is shown, instead of the record. @param {State} state */
export const showsForm = ({ hasText }) => hasText;

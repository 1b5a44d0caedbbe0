// What a page holds that its picture may not show, to compare two worlds: {inputs, storage}. inputs: the values of form fields in document order;
// storage: localStorage, sessionStorage and cookies as one text.
() => {
  const value_of = (field) => field.type === 'checkbox' || field.type === 'radio' ? String(field.checked) : field.isContentEditable ? field.innerText : field.value;
  const fields = document.querySelectorAll('input, textarea, select, [contenteditable]');
  const read = (name) => {
    try {
      const storage = window[name];
      return Object.keys(storage).sort().map((key) => `${name} ${key}=${storage.getItem(key)}`);
    } catch {
      return [];  // A sandboxed frame has none.
    }
  };
  const cookies = () => {
    try {
      return document.cookie ? ['cookie ' + document.cookie] : [];
    } catch {
      return [];
    }
  };
  return {
    inputs: Array.from(fields, (field) => String(value_of(field)).slice(0, 1000)).slice(0, 1000),
    storage: [...read('localStorage'), ...read('sessionStorage'), ...cookies()].join('\n').slice(0, 1e6),
  };
}

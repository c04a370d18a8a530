/*
 * Panels: one at a time, at the right, or a sheet at the bottom of a small screen. Each fills itself when it
 * is opened.
 */
import { $, button, make } from './dom.js';

/** panels: [{id, name, title, open(body), close(), has(world)}]; toggling one that is not there does nothing. */
export function createPanels(panels) {
    const tabs = $('#tabs');
    const panel = $('#panel');
    let current = null;

    const buttons = panels.map(({ id, name, title }) =>
        button(name, () => toggle(id), { title, 'aria-expanded': 'false', 'aria-controls': 'panel' }),
    );
    tabs.append(...buttons);

    function close() {
        const opener = buttons[panels.indexOf(current)];
        current?.close?.();
        current = null;
        panel.hidden = true;
        document.body.classList.remove('with-panel');
        buttons.forEach((each) => each.setAttribute('aria-expanded', 'false'));
        return opener;
    }

    function open(id) {
        close();
        current = panels.find((each) => each.id === id);
        const body = make('div', { className: 'body' });
        panel.replaceChildren(
            make(
                'header',
                {},
                make('h2', { textContent: current.title }),
                button('\u00d7', () => close()?.focus(), {
                    className: 'square',
                    'aria-label': 'Close',
                    title: 'Close (Esc)',
                }),
            ),
            body,
        );
        panel.hidden = false;
        panel.setAttribute('aria-label', current.title);
        document.body.classList.add('with-panel');
        buttons[panels.indexOf(current)].setAttribute('aria-expanded', 'true');
        current.open(body);
    }

    function toggle(id) {
        if (current?.id === id) close();
        else if (panels.some((each) => each.id === id) && !hidden(id)) open(id);
    }
    const hidden = (id) => buttons[panels.findIndex((each) => each.id === id)].hidden;
    /** What a world is that panels are for: those that it has nothing for are not there. */
    function show(world) {
        panels.forEach(({ has }, k) => {
            buttons[k].hidden = Boolean(has && !has(world));
            if (buttons[k].hidden && current === panels[k]) close();
        });
    }
    return { open, toggle, close, show, current: () => current?.id };
}

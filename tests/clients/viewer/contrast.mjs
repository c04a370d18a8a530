// In the page: how well what is written and what is operated can be told from what lies behind it, by WCAG 2.2 (1.4.3, 1.4.11).

/** [{ what, kind, ratio, least }] of all that is seen within the page. Runs in the browser: it is sent there as text. */
export function contrasts() {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const colour = (css) => { // any CSS colour, as [r, g, b, alpha]
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = css;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], below) => [r, g, b].map((c, k) => c * a + below[k] * (1 - a));
    const light = (rgb) => {
        const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => {
        const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    /* What lies behind an element's text. A map behind counts as the worse of black and white. */
    const backs = (element) => {
        const layers = [];
        for (let at = element; at; at = at.parentElement) {
            const back = colour(getComputedStyle(at).backgroundColor);
            if (back[3] > 0) layers.push(back);
            if (back[3] === 1) break;
            if (at.tagName === "MAIN") break;
        }
        const whole = layers.at(-1)?.[3] === 1;
        const bases = whole ? [layers.pop()] : [[0, 0, 0, 1], [255, 255, 255, 1]];
        return bases.map((base) => layers.reduceRight((below, layer) => over(layer, below), base.slice(0, 3)));
    };
    const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && element.getClientRects().length > 0 && !element.closest(".unseen, .skip, [hidden], :disabled");
    const name = (element) => `${element.tagName.toLowerCase()}${element.id && `#${element.id}`} ${(element.ariaLabel || element.textContent || element.title).trim().slice(0, 24)}`;
    const found = [];
    const note = (element, kind, least, fore, behind) => {
        const worst = Math.min(...behind.map((back) => ratio(over(fore, back), back)));
        found.push({ what: name(element), kind, ratio: Number(worst.toFixed(2)), least });
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || !seen(element) || element.closest("script, style, noscript, option")) continue;
        const style = getComputedStyle(element);
        note(element, "text", 4.5, colour(element.closest("svg") ? style.fill : style.color), backs(element));
    }
    for (const element of document.querySelectorAll("input[type=text], input[type=password], select")) {
        if (!seen(element)) continue;
        const style = getComputedStyle(element);
        note(element, "text", 4.5, colour(style.color), backs(element));
        if (element.placeholder) note(element, "placeholder", 4.5, colour(getComputedStyle(element, "::placeholder").color), backs(element));
    }
    /* What is operated: the edge where there is one (its own, or of the box that it lies in), the icon, the fill that says it
       is on, the focus. */
    for (const element of document.querySelectorAll("button, select, input[type=text], input[type=password], .links a")) {
        if (!seen(element)) continue;
        const icon = element.querySelector("svg");
        if (icon) note(element, "icon", 3, colour(getComputedStyle(icon).stroke), backs(element));
        const box = element.closest(".choice, .field") ?? element;
        const style = getComputedStyle(box);
        if (parseFloat(style.borderTopWidth) > 0 && parseFloat(style.borderLeftWidth) > 0) note(element, "edge", 3, colour(style.borderTopColor), backs(box.parentElement));
        if (element.ariaChecked === "true" || element.ariaPressed === "true") {
            const fill = colour(getComputedStyle(element).backgroundColor);
            if (fill[3] > 0 && element.closest(".choice, .toggle")) note(element, "state", 3, fill, backs(box));
        }
        element.focus({ focusVisible: true });
        const ringed = box.matches(".field") ? box : element;
        note(element, "focus", 3, colour(getComputedStyle(ringed).outlineColor), backs(box.parentElement));
    }
    return found;
}

// Gives the token of the link, which browsers send to nobody, for a cookie that no script can read. It leaves the address
// at once, so that neither the history nor a bookmark has it.
const why = document.getElementById("why");

async function login() {
  const token = location.hash.slice(1);
  if (token === "" || token.startsWith("/")) {
    return;
  }
  history.replaceState(null, "", location.pathname);
  try {
    const answer = await fetch("/ui/api/login", {
      method: "POST",
      headers: { "X-Regroup-Page": "1", "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
    });
    if (answer.ok) {
      location.reload();
      return;
    }
    why.textContent = "The token of this link is not the one that was printed: the program was started anew, or the link is not whole.";
  } catch {
    why.textContent = "The program does not answer any more.";
  }
  why.className = "cause";
}

login();
addEventListener("hashchange", login); // the link again, in the same tab

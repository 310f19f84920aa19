// In this order: what depends on the size of the screen comes last.
import "./page.css";
import "./stage.css";
import "./result.css";
import "./moments.css";
import "./solo.css";
import "./narrow.css";
import "./wide.css";
